// Property tests of our own policy, mechanism and accounting.
#include <gtest/gtest.h>

#include <assay/check.hpp>

#include <rapidcheck/gtest.h>

#include <numeric>

#include "explore_then_commit.hpp"
#include "own_mechanism.hpp"
#include "own_policy.hpp"

using namespace assay;

static_assert(Policy<ExploreThenCommit>);  // the error names what a class lacks
TEST(OurPolicy, KeepsItsLevel) { EXPECT_TRUE(check_privacy_level<ExploreThenCommit>()); }
TEST(OurPolicy, KeepsItsLevelInLongRuns) {
  EXPECT_TRUE(check_privacy_level<ExploreThenCommit>(
      {.cases = 10, .parameters = {{"horizon", "64"}, {"pulls", "20"}}}));
}

double three_quarters_of_the_rounds(const ExploreConfig&, const RegretSetting& setting) {
  return 0.75 * static_cast<double>(setting.horizon);
}
TEST(OurPolicy, LosesAtMostThreeQuartersOfTheRounds) {
  EXPECT_TRUE(check_regret_bound<ExploreThenCommit>(three_quarters_of_the_rounds, {.cases = 20}));
}

TEST(OurMechanism, KeepsItsLevel) {
  EXPECT_TRUE(check_privacy_level<NoisySum<false>>({.cases = 20}));
}

TEST(OurMechanism, ReadsASumThatMovesByOne) {
  const auto sum = [](const InputTable& input) {
    return std::accumulate(input.values.begin(), input.values.end(), 0.0);
  };
  const auto pairs =
      neighbouring_pairs({.kind = InputKind::kMechanism, .inputs = 5, .neighbours = Neighbours{}},
                         PairLength::kUpToShape);
  EXPECT_TRUE(check_sensitivity(pairs, sum, StatisticNorm::kL1, 1.0));
}

TEST(OurAccounting, AddsUp) {
  const auto sum = [](std::span<const PureDp> levels) {
    PureDp total;
    for (const PureDp& level : levels) total.epsilon.value += level.epsilon.value;
    return total;
  };
  EXPECT_TRUE(check_composition<PureDp>(sum));
}

// A property of our own, with the same generators.
RC_GTEST_PROP(OurOtherPolicy, HasProbabilitiesThatSumToOne, (const StayConfig& config)) {
  auto policy = StayPolicy<false>::create(config).value();
  const auto rewards = *inputs({.kind = InputKind::kBandit, .horizon = config.horizon});
  for (const double reward : rewards.values) {
    RC_ASSERT(std::fabs(std::exp(policy.log_probability(0)) + std::exp(policy.log_probability(1)) -
                        1.0) < 1e-12);
    policy.advance(1);
    policy.observe(reward);
  }
}
