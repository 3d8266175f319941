// Random allocation of tables drawn at random: whatever the grid, the bounds enclose the profile of all outcomes, of both
// signs of eps, before and after composition; bounds of every noise are in order, and fall with batches and with noise.
#include "assay/mechanisms/accounting/pld/allocation_loss.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/tests/support/allocation_profiles.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

TablePair random_table() {
  const auto outputs = static_cast<std::size_t>(*rc::gen::inRange(2, 5));
  TablePair table{std::vector<double>(outputs), std::vector<double>(outputs)};
  double total_p = 0.0, total_r = 0.0;
  for (std::size_t i = 0; i < outputs; ++i) {
    table.p[i] = log_uniform(0.01, 1.0);
    table.r[i] = table.p[i] * log_uniform(0.05, 20.0);
    if (i > 0 && uniform(0.0, 1.0) < 0.15) {
      (uniform(0.0, 1.0) < 0.5 ? table.p : table.r)[i] = 0.0;
    }
    total_p += table.p[i];
    total_r += table.r[i];
  }
  for (double& x : table.p) x /= total_p;
  for (double& x : table.r) x /= total_r;
  return table;
}

SamplingDirection random_direction() {
  return *rc::gen::element(SamplingDirection::kRemove, SamplingDirection::kAdd);
}

AllocationOptions random_options() {
  return {.delta = log_uniform(1e-9, 0.3),
          .relative_width = log_uniform(1e-6, 0.1),
          .max_cells = *rc::gen::inRange<std::int64_t>(16, 300)};
}

// The oracle's own rounding.
constexpr long double kEnumeration = 1e-16L;

RC_GTEST_PROP(Allocation, EnclosesAllOutcomesOnAnyGrid, ()) {
  const TablePair table = random_table();
  const int batches = *rc::gen::inRange(1, 6);
  const auto direction = random_direction();
  const auto base = must(loss_of::finite_pair(table.p, table.r));
  const auto loss = must(loss_of::allocated(base, batches, direction, random_options()));
  for (double eps = -4.0; eps <= 4.0; eps += 0.173) {
    const long double exact = allocated_profile(table, batches, direction, eps);
    RC_ASSERT(profile_below(loss.lower, eps) <= exact + kEnumeration);
    RC_ASSERT(profile_above(loss.upper, eps) >= exact - kEnumeration);
  }
}

// Two epochs, or an epoch of one table and one of another: the sum over all outcomes of both.
RC_GTEST_PROP(Allocation, EnclosesAllOutcomesOfTwoEpochs, ()) {
  const auto direction = random_direction();
  std::vector<PldTerm> lower, upper;
  std::vector<std::vector<std::pair<long double, long double>>> outcomes;
  for (int epoch = 0; epoch < 2; ++epoch) {
    const TablePair table = random_table();
    const int batches = *rc::gen::inRange(1, 4);
    const auto base = must(loss_of::finite_pair(table.p, table.r));
    const auto loss = must(loss_of::allocated(base, batches, direction, random_options()));
    lower.push_back({loss.lower, 1});
    upper.push_back({loss.upper, 1});
    outcomes.emplace_back();
    visit_allocation(table, batches, [&](long double with, long double without) {
      outcomes.back().push_back({with / batches, without});
    });
  }
  const double focus = uniform(0.0, 3.0);
  const PldOptions rough{.epsilon_width = 1e-2, .attempts = 1};
  const auto low = must(compose_near(lower, Epsilon{focus}, rough));
  const auto high = must(compose_near(upper, Epsilon{focus}, rough));
  for (const double eps : {0.0, 0.5 * focus, focus, focus + 0.4}) {
    const long double factor = std::exp(static_cast<long double>(eps));
    long double exact = 0.0L;
    for (const auto& [p, r] : outcomes[0]) {
      for (const auto& [other_p, other_r] : outcomes[1]) {
        const bool is_add = direction == SamplingDirection::kAdd;
        const long double with = p * other_p, without = r * other_r;
        exact += std::max(is_add ? without - factor * with : with - factor * without, 0.0L);
      }
    }
    RC_ASSERT(static_cast<long double>(low.delta(Epsilon{eps}).lower.value.value) <=
              exact + kEnumeration);
    RC_ASSERT(static_cast<long double>(high.delta(Epsilon{eps}).upper.value.value) >=
              exact - kEnumeration);
  }
}

RC_GTEST_PROP(Allocation, HasItsBoundsInOrderAndFallsWithBatchesAndNoise, ()) {
  const auto direction = random_direction();
  const auto options = random_options();
  const double scale = log_uniform(0.15, 20.0);
  const double wider = scale * log_uniform(1.0, 2.0);
  const auto batches = static_cast<std::int64_t>(log_uniform(1.0, 3000.0));
  const auto more = batches + static_cast<std::int64_t>(log_uniform(1.0, 3000.0));
  const bool is_laplace = uniform(0.0, 1.0) < 0.5;
  const auto allocated = [&](double of_scale, std::int64_t of_batches) {
    const auto base = must(is_laplace ? loss_of::laplace(of_scale) : loss_of::gaussian(of_scale));
    return must(loss_of::allocated(base, of_batches, direction, options));
  };
  const auto here = allocated(scale, batches);
  if (batches == 1 && direction == SamplingDirection::kRemove)
    return;  // the base, which has pieces
  for (const BracketedLoss& less : {here, allocated(wider, batches), allocated(scale, more)}) {
    for (double eps = -3.0; eps <= 6.0; eps += 0.31) {
      RC_ASSERT(profile_below(less.lower, eps) <= profile_above(here.upper, eps));
    }
  }
}

}  // namespace
}  // namespace assay
