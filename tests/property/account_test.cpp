// Laws of accounts over random chains: order and grouping of steps do not matter, a further release
// only costs, profiles fall and are convex, and no level that a step implies answers below it.
#include "assay/mechanisms/accounting/account/account.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/mechanisms/accounting/account/convert.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

using Asked = AccountTarget::Asked;

constexpr int kChains = 16;  // a property is tried on

double uniform(double low, double high) {
  const auto step = *rc::gen::inRange<std::int64_t>(0, 1'000'000'001);
  return low + (high - low) * (static_cast<double>(step) / 1e9);
}

double log_uniform(double low, double high) {
  return portable_exp(uniform(portable_log(low), portable_log(high)));
}

FinitePairStep draw_pair() {
  const double a = uniform(0.2, 0.8), b = uniform(0.2, 0.8);
  return {{a, 0.5 * (1 - a), 0.5 * (1 - a)}, {b, 0.25 * (1 - b), 0.75 * (1 - b)}};
}

// Levels of about 0.05 to 1 a release, so that chains stay in a useful range.
StepMechanism draw_step() {
  switch (*rc::gen::inRange(0, 8)) {
    case 0:
      return GaussianStep{log_uniform(3.0, 30.0), uniform(0.5, 2.0)};
    case 1:
      return LaplaceStep{log_uniform(2.0, 20.0), uniform(0.5, 1.5)};
    case 2:
      return DiscreteLaplaceStep{log_uniform(1.0, 20.0)};
    case 3:
      return RandomizedResponseStep{log_uniform(0.05, 1.0), *rc::gen::inRange<std::int64_t>(2, 6)};
    case 4:
      return PureStep{log_uniform(0.05, 1.0)};
    case 5:
      return ApproximateStep{log_uniform(0.05, 1.0), log_uniform(1e-12, 1e-9)};
    case 6:
      return GdpStep{log_uniform(0.05, 0.5)};
    default:
      return draw_pair();
  }
}

ChainStep draw_chain_step() { return {draw_step(), *rc::gen::inRange<std::int64_t>(1, 12), ""}; }

struct Bounds {
  double lower;
  double upper;
};
Bounds bounds_of(const std::vector<ChainStep>& chain, AccountTarget target) {
  const auto answers = account_for(chain, std::vector{target});
  if (!answers) RC_FAIL(answers.error().to_string());
  return {answers->front().lower.value_or(0.0), answers->front().upper};
}
bool overlap(Bounds a, Bounds b) { return a.lower <= b.upper && b.lower <= a.upper; }

AccountTarget draw_target() {
  if (*rc::gen::inRange(0, 2) == 0) return {Asked::kEpsilonAtDelta, log_uniform(1e-6, 1e-2)};
  return {Asked::kDeltaAtEpsilon, uniform(0.0, 2.0)};
}

template <class Law>
void on_random_chains(const Law& law) {
  rc::detail::TestParams params;
  params.maxSuccess = std::max(4, repetitions(kChains));
  params.seed = 1;
  params.disableShrinking = true;  // each trial is several compositions
  const auto result = rc::detail::checkTestable(law, rc::detail::TestMetadata{}, params);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << text.str();
}

TEST(AccountLaws, OrderAndGroupingOfStepsDoNotMatter) {
  on_random_chains([] {
    ChainStep first = draw_chain_step();
    const ChainStep second = draw_chain_step();
    const auto target = draw_target();
    const Bounds together = bounds_of({first, second}, target);
    RC_ASSERT(overlap(together, bounds_of({second, first}, target)));
    first.count += 1;
    const ChainStep one{first.mechanism, 1, ""};
    ChainStep rest = first;
    rest.count -= 1;
    RC_ASSERT(overlap(bounds_of({first, second}, target), bounds_of({one, second, rest}, target)));
  });
}

TEST(AccountLaws, AFurtherReleaseOnlyCosts) {
  on_random_chains([] {
    const ChainStep first = draw_chain_step();
    ChainStep more = first;
    more.count += *rc::gen::inRange<std::int64_t>(1, 5);
    const auto target = draw_target();
    const Bounds alone = bounds_of({first}, target);
    RC_ASSERT(bounds_of({more}, target).upper >= alone.lower);
    RC_ASSERT(bounds_of({first, draw_chain_step()}, target).upper >= alone.lower);
  });
}

TEST(AccountLaws, ProfilesFallAndAreConvexInTheExponential) {
  on_random_chains([] {
    const std::vector<ChainStep> chain = {draw_chain_step()};
    const double low = uniform(0.0, 1.0), high = low + uniform(0.1, 1.0);
    const double t = uniform(0.0, 1.0);
    const double x = t * portable_exp(low) + (1 - t) * portable_exp(high);
    const auto at = [&](double eps) { return bounds_of(chain, {Asked::kDeltaAtEpsilon, eps}); };
    const Bounds left = at(low), middle = at(portable_log(x)), right = at(high);
    RC_ASSERT(right.lower <= middle.upper);
    RC_ASSERT(middle.lower <= left.upper);
    const double chord = t * left.upper + (1 - t) * right.upper;
    RC_ASSERT(middle.lower <= chord * (1 + 1e-12) + 1e-300);
  });
}

TEST(AccountLaws, NoLevelOfAStepAnswersBelowItsDistributions) {
  on_random_chains([] {
    const StepMechanism step = draw_step();
    const Epsilon eps{uniform(0.0, 1.0)};
    const double exact = bounds_of({{step, 1, ""}}, {Asked::kDeltaAtEpsilon, eps.value}).lower;
    if (const auto pure = step_pure(step)) {
      RC_ASSERT(approximate_at_epsilon(*pure, eps).delta.value >= exact);
    }
    if (const auto mu = step_gaussian(step)) {
      RC_ASSERT(approximate_at_epsilon(*mu, eps).delta.value >= exact);
    }
    if (const auto rho = step_zcdp(step)) {
      RC_ASSERT(zcdp_delta(rho->rho, eps)->value.value >= exact);
    }
    if (const auto curve = step_renyi(step)) {
      RC_ASSERT(renyi_delta(*curve, eps)->value.value >= exact);
    }
  });
}

// The level of a group of k, against the distributions of k times the noise's shift.
TEST(AccountLaws, ConversionTablesOfGroupsCoverTheGroupsOfLaplaceNoise) {
  on_random_chains([] {
    const double scale = log_uniform(2.0, 20.0);
    const auto group = *rc::gen::inRange<std::int64_t>(1, 6);
    const double eps = uniform(0.0, 0.5) * static_cast<double>(group) / scale;
    const LaplaceStep shifted{scale, static_cast<double>(group)};
    const double exact =
        bounds_of({{StepMechanism(shifted), 1, ""}}, {Asked::kDeltaAtEpsilon, eps}).lower;
    const ConvertibleLevel levels[] = {
        *step_pure(LaplaceStep{scale, 1.0}), *step_gaussian(LaplaceStep{scale, 1.0}),
        *step_zcdp(LaplaceStep{scale, 1.0}),
        RenyiPoint{64.0, step_renyi(LaplaceStep{scale, 1.0})->at(64.0).value}};
    for (const ConvertibleLevel& level : levels) {
      const auto table = conversion_table(level, {{}, {eps}, group});
      RC_ASSERT(table.has_value());
      RC_ASSERT(table->lines.back().quantity == "delta");
      RC_ASSERT(!table->lines.back().upper || *table->lines.back().upper >= exact);
    }
  });
}

}  // namespace
}  // namespace assay
