
#include <boost/math/quadrature/tanh_sinh.hpp>

#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/policies/environments/bernoulli_arms.hpp"
#include "assay/policies/environments/truncated_exponential_arms.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr int kRewardDraws = 1'000'000;

// Mean of kDraws rewards of one arm; deviations are bounded at 5.5 standard errors, two-sided
// alpha = 4e-8, fixed seeds.
template <StochasticEnvironment E>
double mean_reward(const E& environment, int arm, std::uint64_t seed) {
  ReplayStream random({.seed = seed});
  double sum = 0.0;
  for (int t = 0; t < kRewardDraws; ++t) sum += environment.feedback(t, arm, random);
  return sum / kRewardDraws;
}

TEST(BernoulliArms, PayOneWithTheirProbability) {
  const auto arms = BernoulliArms::create({0.0, 1.0, 0.5, 0.1}).value();
  EXPECT_EQ(mean_reward(arms, 0, 1), 0.0);
  EXPECT_EQ(mean_reward(arms, 1, 2), 1.0);
  EXPECT_NEAR(mean_reward(arms, 2, 3), 0.5, 5.5 * 0.5 / std::sqrt(kRewardDraws));
  EXPECT_NEAR(mean_reward(arms, 3, 4), 0.1, 5.5 * 0.3 / std::sqrt(kRewardDraws));
}

TEST(BernoulliArms, MeetTheSameLuckWhateverIsPlayed) {
  const auto arms = BernoulliArms::create({0.3, 0.6}).value();
  ReplayStream low({.seed = 5});
  ReplayStream high({.seed = 5});
  for (int t = 0; t < 1000; ++t) EXPECT_LE(arms.feedback(t, 0, low), arms.feedback(t, 1, high));
}

TEST(BernoulliArms, TotalsAreTheSumsOfTheSameRewards) {
  const auto arms = BernoulliArms::create({0.3, 0.6}).value();
  ReplayStream one({.seed = 6});
  ReplayStream all({.seed = 6});
  for (const std::int64_t count : {1, 2, 3, 0, 7, 511, 512, 1025, 4}) {
    double sum = 0.0;
    const int arm = static_cast<int>(count % 2);
    for (std::int64_t t = 0; t < count; ++t) sum += arms.feedback(t, arm, one);
    EXPECT_EQ(arms.total(arm, count, all), sum) << count;
  }
  EXPECT_EQ(one.next(), all.next());
}

TEST(BernoulliArms, RefuseMeansOutsideTheRange) {
  const auto error = error_of(BernoulliArms::create({0.5, 1.25}));
  EXPECT_EQ(error.to_string(), "/means/1: the mean of a Bernoulli arm must be 0 to 1, not 1.25");
  EXPECT_EQ(BernoulliArms::create({std::nan("")}).error().path, "/means/0");
  EXPECT_EQ(BernoulliArms::create({}).error().message, "means needs at least one arm");
}

TEST(TruncatedExponential, MeansAreThoseOfTheDensity) {
  boost::math::quadrature::tanh_sinh<double> integrator;
  for (const double rate :
       {1e-6, 0.01, 0.1, 0.4999, 0.5, 0.5001, 1.0, 2.0, 5.0, 10.0, 50.0, 700.0}) {
    const double below =
        integrator.integrate([&](double x) { return std::exp(-rate * x); }, 0.0, 1.0);
    const double moment =
        integrator.integrate([&](double x) { return x * std::exp(-rate * x); }, 0.0, 1.0);
    EXPECT_NEAR(truncated_exponential_mean(rate), moment / below, 2e-14 * moment / below) << rate;
  }
}

TEST(TruncatedExponential, MeansOfThePapersArmsAreTheStatedOnes) {
  const auto arms = TruncatedExponentialArms::create({0.1, 1.0, 2.0, 5.0, 10.0}).value();
  const double stated[] = {0.492, 0.418, 0.343, 0.193, 0.1};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(arms.means()[i], stated[i], 5e-4);
}

TEST(TruncatedExponential, RewardsHaveTheMeanAndTheMedian) {
  const auto arms = TruncatedExponentialArms::create({0.1, 10.0}).value();
  for (const int arm : {0, 1}) {
    const double rate = arms.rates()[static_cast<std::size_t>(arm)];
    EXPECT_NEAR(mean_reward(arms, arm, 7), arms.means()[static_cast<std::size_t>(arm)],
                5.5 * 0.29 / std::sqrt(kRewardDraws));
    const double median = -std::log1p(0.5 * std::expm1(-rate)) / rate;
    ReplayStream random({.seed = 8});
    int below = 0;
    for (int t = 0; t < kRewardDraws; ++t) {
      const double reward = arms.feedback(t, arm, random);
      ASSERT_GE(reward, 0.0);
      ASSERT_LE(reward, 1.0);
      below += reward < median;
    }
    EXPECT_NEAR(below, 0.5 * kRewardDraws, 5.5 * 0.5 * std::sqrt(kRewardDraws));
  }
}

TEST(TruncatedExponential, RefusesRatesOutsideTheRange) {
  const auto error = error_of(TruncatedExponentialArms::create({1.0, 0.0}));
  EXPECT_EQ(error.to_string(), "/rates/1: the rate of an arm must be 1e-06 to 700, not 0");
  EXPECT_EQ(TruncatedExponentialArms::create({}).error().message, "rates needs at least one arm");
}

TEST(Play, VisitsEveryRoundWithItsActionAndReward) {
  ModifiedThompsonSamplingConfig config{.arms = 3, .horizon = 50, .pre_pulls = 2};
  auto policy = ModifiedThompsonSampling::create(config).value();
  const auto arms = BernoulliArms::create({0.0, 0.5, 1.0}).value();
  ReplayStream choices({.seed = 1, .lane = 0});
  ReplayStream luck({.seed = 1, .lane = 1});
  std::vector<double> sums(3, 0.0);
  std::vector<std::int64_t> pulls(3, 0);
  std::int64_t next_round = 0;
  play(policy, arms, 50, choices, luck, [&](std::int64_t round, int action, double reward) {
    EXPECT_EQ(round, next_round++);
    ++pulls[static_cast<std::size_t>(action)];
    sums[static_cast<std::size_t>(action)] += reward;
  });
  EXPECT_EQ(next_round, 50);
  EXPECT_TRUE(std::equal(pulls.begin(), pulls.end(), policy.counts().begin()));
  EXPECT_EQ(sums[0], 0.0);
  EXPECT_EQ(sums[2], static_cast<double>(pulls[2]));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(policy.means()[i], sums[i] / static_cast<double>(pulls[i] + 1));
  }
}

TEST(Play, LearnsTheBestArm) {
  ModifiedThompsonSamplingConfig config{.arms = 5, .horizon = 20'000};
  auto policy = ModifiedThompsonSampling::create(config).value();
  const auto arms = BernoulliArms::create({0.25, 0.375, 0.5, 0.625, 0.75}).value();
  ReplayStream choices({.seed = 2, .lane = 0});
  ReplayStream luck({.seed = 2, .lane = 1});
  play(policy, arms, config.horizon, choices, luck, [](std::int64_t, int, double) {});
  EXPECT_GT(policy.counts()[4], 15'000);
}

TEST(PseudoRegret, CountsTheGapOfEveryPull) {
  const std::vector<std::int64_t> pulls = {10, 0, 4};
  const std::vector<double> means = {0.5, 0.75, 0.25};
  EXPECT_DOUBLE_EQ(pseudo_regret(pulls, means), 10 * 0.25 + 4 * 0.5);
}

}  // namespace
}  // namespace assay
