// Bounds on random allocation against contour integrals in 30 digits, all outcomes of small tables, and the base itself.
#include "assay/mechanisms/accounting/pld/allocation_loss.hpp"

#include <atomic>
#include <fstream>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/tests/support/allocation_profiles.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr SamplingDirection kDirections[] = {SamplingDirection::kRemove, SamplingDirection::kAdd};

Interval<Epsilon> composed_epsilon(const BracketedLoss& loss, std::int64_t epochs, double delta) {
  const PldOptions fine{.epsilon_width = 1e-6};
  const auto low = must(pld_epsilon(std::vector{PldTerm{loss.lower, epochs}}, Delta{delta}, fine));
  const auto high = must(pld_epsilon(std::vector{PldTerm{loss.upper, epochs}}, Delta{delta}, fine));
  return {low.lower, high.upper};
}

Interval<Epsilon> gaussian_epsilon(double sigma, std::int64_t batches, SamplingDirection direction,
                                   std::int64_t epochs = 1) {
  const AllocationOptions rough{.relative_width = 1e-3};
  return composed_epsilon(
      must(loss_of::allocated(*loss_of::gaussian(sigma), batches, direction, rough)), epochs, 1e-6);
}

TEST(AllocationLoss, AgreesWithContourIntegrals) {
  std::ifstream file(std::string(ASSAY_SOURCE_DIR) + "/tests/support/allocation_cases.txt");
  std::string line;
  int lines = 0;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string kind;
    double scale = 0.0, delta = 0.0, eps[2] = {};
    std::int64_t batches = 0;
    ASSERT_TRUE(words >> kind >> scale >> batches >> delta >> eps[0] >> eps[1]) << line;
    const auto base = kind == "laplace" ? loss_of::laplace(scale) : loss_of::gaussian(scale);
    for (int i = 0; i < 2; ++i) {
      const AllocationOptions options{.delta = delta};
      const auto loss = must(loss_of::allocated(*base, batches, kDirections[i], options));
      const auto bounds = composed_epsilon(loss, 1, delta);
      EXPECT_LE(bounds.lower.value.value, eps[i]) << line;
      EXPECT_GE(bounds.upper.value.value, eps[i]) << line;
      EXPECT_LE(bounds.upper.value.value - bounds.lower.value.value, 3e-4 * eps[i]) << line;
      // delta at this eps, without the composer.
      EXPECT_LE(profile_below(loss.lower, eps[i]), delta) << line;
      EXPECT_GE(profile_above(loss.upper, eps[i]), delta) << line;
    }
    ++lines;
  }
  EXPECT_EQ(lines, 7);
}

TEST(AllocationLoss, OfOneBatchIsTheBase) {
  const double exact = gdp_epsilon(Mu{0.8}, Delta{1e-6}).value;
  for (const SamplingDirection direction : kDirections) {
    const auto bounds = gaussian_epsilon(1.25, 1, direction);
    EXPECT_LE(bounds.lower.value.value, exact);
    EXPECT_GE(bounds.upper.value.value, exact);
    EXPECT_LE(bounds.upper.value.value - bounds.lower.value.value, 1e-3 * exact);
  }
}

TEST(AllocationLoss, FallsWithBatchesAndWithNoise) {
  for (const SamplingDirection direction : kDirections) {
    double last = HUGE_VAL;
    for (const std::int64_t batches : {2, 3, 5, 17, 200, 10'000}) {
      const auto bounds = gaussian_epsilon(1.0, batches, direction);
      EXPECT_LT(bounds.upper.value.value, last);
      last = bounds.lower.value.value;
    }
    last = HUGE_VAL;
    for (const double sigma : {0.2, 0.5, 0.9, 2.0, 30.0}) {
      const auto bounds = gaussian_epsilon(sigma, 50, direction);
      EXPECT_LT(bounds.upper.value.value, last);
      EXPECT_GT(bounds.lower.value.value, 0.0);
      last = bounds.lower.value.value;
    }
  }
}

TEST(AllocationLoss, OfManyEpochsStaysNarrow) {
  for (const SamplingDirection direction : kDirections) {
    const auto once = gaussian_epsilon(2.0, 100, direction);
    const auto often = gaussian_epsilon(2.0, 100, direction, 50);
    EXPECT_LE(often.upper.value.value, 1.003 * often.lower.value.value);
    EXPECT_GT(often.lower.value.value, 5.0 * once.upper.value.value);
  }
}

TEST(AllocationLoss, IsWithinAllOutcomesOfSmallTables) {
  const TablePair tables[] = {{{0.6, 0.3, 0.1}, {0.2, 0.3, 0.5}},
                              {{0.5, 0.5, 0.0}, {0.25, 0.5, 0.25}},  // an output of R alone
                              {{0.4, 0.5, 0.1}, {0.3, 0.7, 0.0}}};   // and of P alone
  for (const TablePair& table : tables) {
    for (const int batches : {1, 2, 3, 5}) {
      for (const SamplingDirection direction : kDirections) {
        const auto loss = must(
            loss_of::allocated(must(loss_of::finite_pair(table.p, table.r)), batches, direction));
        for (double eps = -2.0; eps <= 3.0; eps += 0.11) {
          const long double exact = allocated_profile(table, batches, direction, eps);
          EXPECT_LE(profile_below(loss.lower, eps), exact + 1e-17L);
          EXPECT_GE(profile_above(loss.upper, eps), exact - 1e-17L);
          EXPECT_LE(profile_above(loss.upper, eps) - profile_below(loss.lower, eps), 1e-5L)
              << batches << " " << eps;
        }
      }
    }
  }
}

TEST(AllocationLoss, NamesWhatItRefuses) {
  const auto base = *loss_of::gaussian(1.0);
  const auto message = [&](std::int64_t batches, const AllocationOptions& options) {
    const auto result = loss_of::allocated(base, batches, SamplingDirection::kAdd, options);
    return result ? std::string() : result.error().to_string();
  };
  EXPECT_THAT(message(0, {}), HasSubstr("batches must be in [1, 1e+07], not 0"));
  EXPECT_THAT(message(2, {.delta = 0.0}), HasSubstr("delta must be in"));
  EXPECT_THAT(message(2, {.relative_width = 0.5}), HasSubstr("relative_width must be in"));
  EXPECT_THAT(message(2, {.max_cells = 4}), HasSubstr("max_cells must be in [16, 65536], not 4"));
  const auto narrow = loss_of::allocated(*loss_of::gaussian(0.04), 10, SamplingDirection::kRemove);
  ASSERT_FALSE(narrow.has_value());
  EXPECT_EQ(narrow.error().code, ErrorCode::kLimit);
  EXPECT_THAT(narrow.error().message, HasSubstr("the noise is too small"));
  const std::atomic<bool> cancelled{true};
  const auto stopped =
      loss_of::allocated(base, 10, SamplingDirection::kAdd, {.cancel = &cancelled});
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace assay
