

#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/tests/support/sampling_policies.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

void play_round(ModifiedThompsonSampling& policy, int action, double reward) {
  policy.advance(action);
  policy.observe(reward);
}

double guaranteed_mu(const ModifiedThompsonSamplingConfig& config) {
  return std::get<GaussianDp>(sampling_policy(config).guarantee().level).mu.value;
}

TEST(ThompsonSampling, StartsAtMeanZeroAndScaleRootC) {
  const auto policy = sampling_policy(sampling_config(3, 10, 0, 4.0));
  EXPECT_THAT(policy.means(), ElementsAre(0.0, 0.0, 0.0));
  EXPECT_THAT(policy.scales(), ElementsAre(2.0, 2.0, 2.0));
  EXPECT_THAT(policy.counts(), ElementsAre(0, 0, 0));
  EXPECT_EQ(policy.round(), 0);
}

TEST(ThompsonSampling, MeansAndScalesOfASmallRunAreTheHandComputedOnes) {
  auto policy = sampling_policy(sampling_config(3, 10, 0, 2.0));
  play_round(policy, 1, 1.0);
  play_round(policy, 1, 0.5);
  play_round(policy, 2, 0.25);
  play_round(policy, 1, 0.0);
  EXPECT_THAT(policy.means(), ElementsAre(0.0, 1.5 / 4, 0.25 / 2));
  EXPECT_THAT(policy.scales(), ElementsAre(std::sqrt(2.0), std::sqrt(2.0 / 4), std::sqrt(2.0 / 2)));
  EXPECT_THAT(policy.counts(), ElementsAre(0, 3, 1));
  EXPECT_EQ(policy.round(), 4);
}

TEST(ThompsonSampling, TheMeanEqualsThePapersRecursion) {
  auto policy = sampling_policy(sampling_config(2, 1000));
  double mean = 0.0;
  for (int n = 0; n < 1000; ++n) {
    const double reward = (n * 37 % 101) / 100.0;
    play_round(policy, 0, reward);
    mean = (mean * (n + 1) + reward) / (n + 2);  // line 7 of Algorithm 1
    ASSERT_NEAR(policy.means()[0], mean, 1e-13);
    ASSERT_DOUBLE_EQ(policy.scales()[0], std::sqrt(1.0 / (n + 2)));
  }
}

TEST(ThompsonSampling, ARewardChangesOnlyItsArm) {
  auto policy = sampling_policy(sampling_config(5, 10));
  for (int arm = 0; arm < 5; ++arm) play_round(policy, arm, 0.1 * arm);
  const auto before = policy;
  play_round(policy, 3, 1.0);
  for (std::size_t i : {0u, 1u, 2u, 4u}) {
    EXPECT_EQ(policy.means()[i], before.means()[i]);
    EXPECT_EQ(policy.scales()[i], before.scales()[i]);
    EXPECT_EQ(policy.counts()[i], before.counts()[i]);
  }
  EXPECT_NE(policy.means()[3], before.means()[3]);
}

TEST(ThompsonSampling, PrePullsPlayTheArmsInOrderWhateverTheStream) {
  for (const std::uint64_t seed : {1u, 2u}) {
    auto policy = sampling_policy(sampling_config(3, 12, 2));
    ReplayStream random({.seed = seed});
    std::vector<int> actions;
    for (int t = 0; t < 6; ++t) {
      for (int arm = 0; arm < 3; ++arm) {
        EXPECT_EQ(policy.log_probability(arm),
                  arm == t / 2 ? 0.0 : -std::numeric_limits<double>::infinity());
      }
      actions.push_back(policy.choose(random));
      policy.observe(0.5);
    }
    EXPECT_THAT(actions, ElementsAre(0, 0, 1, 1, 2, 2));
    EXPECT_FALSE(policy.is_forced());
    EXPECT_GT(policy.log_probability(0), -2.0);
  }
}

TEST(ThompsonSampling, ARoundTakesTheSameBlocksOfItsStreamInEveryState) {
  for (const int arms : {2, 16, 17, 40}) {
    auto policy = sampling_policy(sampling_config(arms, 2 * arms + 3, 2));
    ReplayStream random({.seed = 9});
    for (int t = 0; t < 2 * arms + 3; ++t) {
      policy.choose(random);
      policy.observe(1.0);
    }
    ReplayStream expected({.seed = 9});
    expected.skip_blocks(static_cast<std::uint64_t>(2 * arms + 3) *
                         static_cast<std::uint64_t>((arms + 15) / 16 + (arms + 3) / 4));
    EXPECT_EQ(random.next(), expected.next());
  }
}

TEST(ThompsonSampling, TwoArmsHaveTheProbabilityOfOneGaussianDifference) {
  auto policy = sampling_policy(sampling_config(2, 100, 0, 3.0));
  play_round(policy, 0, 1.0);
  play_round(policy, 0, 1.0);
  play_round(policy, 1, 0.25);
  const double gap = (2.0 / 3 - 0.25 / 2) / std::sqrt(3.0 / 3 + 3.0 / 2);
  EXPECT_NEAR(policy.log_probability(0), normal_log_cdf(gap), 1e-14);
  EXPECT_NEAR(policy.log_probability(1), normal_log_cdf(-gap), 1e-14);
}

TEST(ThompsonSampling, EqualArmsAreEquallyLikely) {
  for (const int arms : {2, 3, 10, 100}) {
    const auto policy = sampling_policy(sampling_config(arms, 10));
    for (const int arm : {0, arms - 1}) {
      EXPECT_NEAR(policy.log_probability(arm), -std::log(arms), 1e-13);
    }
  }
}

TEST(ThompsonSampling, ProbabilitiesSumToOne) {
  auto policy = sampling_policy(sampling_config(4, 100));
  for (int t = 0; t < 30; ++t) play_round(policy, t * t % 4, (t % 7) / 6.0);
  double sum = 0.0;
  for (int arm = 0; arm < 4; ++arm) sum += portable_exp(policy.log_probability(arm));
  EXPECT_NEAR(sum, 1.0, 1e-13);
}

TEST(ThompsonSampling, ReplayOfATranscriptReproducesTheStateBitForBit) {
  const auto config = sampling_config(7, 500, 3, 1.7);
  auto played = sampling_policy(config);
  auto replayed = sampling_policy(config);
  ReplayStream random({.seed = 5});
  for (int t = 0; t < 500; ++t) {
    const double reward = (t * 29 % 97) / 96.0;
    const int action = played.choose(random);
    played.observe(reward);
    ASSERT_GT(replayed.log_probability(action, ArgmaxPrecision::kSampling), -700.0);
    play_round(replayed, action, reward);
    ASSERT_TRUE(std::equal(played.means().begin(), played.means().end(), replayed.means().begin()));
    ASSERT_TRUE(
        std::equal(played.scales().begin(), played.scales().end(), replayed.scales().begin()));
    ASSERT_EQ(played.round(), replayed.round());
  }
}

TEST(ThompsonSampling, TheSameStreamPlaysTheSameTranscriptInACopy) {
  auto policy = sampling_policy(sampling_config(10, 300));
  ReplayStream random({.seed = 11});
  for (int t = 0; t < 100; ++t) {
    policy.choose(random);
    policy.observe(t % 2);
  }
  auto copy = policy;
  auto same = random;
  for (int t = 0; t < 200; ++t) {
    ASSERT_EQ(policy.choose(random), copy.choose(same));
    policy.observe(0.5);
    copy.observe(0.5);
  }
}

TEST(ThompsonSamplingGuarantee, PaperConstantsAreLemma4AndLemma5) {
  const auto paper = Calibration::kPaper;
  EXPECT_DOUBLE_EQ(guaranteed_mu(sampling_config(5, 100, 0, 1.0, paper)), std::sqrt(50.0));
  EXPECT_DOUBLE_EQ(guaranteed_mu(sampling_config(5, 100, 0, 2.0, paper)), std::sqrt(50.0));
  EXPECT_DOUBLE_EQ(guaranteed_mu(sampling_config(5, 100, 4, 1.0, paper)), std::sqrt(20.0));
  EXPECT_DOUBLE_EQ(guaranteed_mu(sampling_config(5, 100, 4, 2.5, paper)), std::sqrt(8.0));
  EXPECT_THAT(sampling_policy(sampling_config(5, 100, 0, 1.0, paper)).guarantee().source,
              HasSubstr("Lemma 4"));
  EXPECT_THAT(sampling_policy(sampling_config(5, 100, 0, 2.0, paper)).guarantee().source,
              HasSubstr("Lemma 5"));
}

TEST(ThompsonSamplingGuarantee, CorrectedConstantsCountTheRoundsThatReadTheChangedReward) {
  EXPECT_DOUBLE_EQ(guaranteed_mu(sampling_config(5, 100)), std::sqrt(99.0 / 2));
  EXPECT_DOUBLE_EQ(guaranteed_mu(sampling_config(5, 100, 0, 3.0)), std::sqrt(99.0 / 6));
  EXPECT_DOUBLE_EQ(guaranteed_mu(sampling_config(5, 100, 4, 2.5)), std::sqrt(80.0 / 12.5));
  EXPECT_EQ(guaranteed_mu(sampling_config(5, 1)), 0.0);        // the first round reads nothing
  EXPECT_EQ(guaranteed_mu(sampling_config(5, 100, 20)), 0.0);  // pre-pulls only
}

TEST(ThompsonSamplingGuarantee, CorrectedIsNeverAboveThePapers) {
  for (const std::int64_t pre_pulls : {0, 1, 3}) {
    for (const double variance : {1.0, 1.5, 100.0}) {
      const auto corrected = sampling_config(4, 50, pre_pulls, variance);
      auto paper = corrected;
      paper.calibration = Calibration::kPaper;
      EXPECT_LT(guaranteed_mu(corrected), guaranteed_mu(paper));
    }
  }
}

TEST(ThompsonSamplingGuarantee, SaysItsRelationAndView) {
  const auto guarantee = sampling_policy(sampling_config(2, 10)).guarantee();
  EXPECT_EQ(guarantee.relation, Relation::kReplaceOneReward);
  EXPECT_EQ(guarantee.view, View::kActions);
}

struct BadConfig {
  const char* name;
  ModifiedThompsonSamplingConfig config;
  const char* message;
  const char* path;
};

class BadConfigTest : public ::testing::TestWithParam<BadConfig> {};

TEST_P(BadConfigTest, IsRefusedWithTheFieldAndWhatIsAllowed) {
  const auto error = error_of(ModifiedThompsonSampling::create(GetParam().config));
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message, GetParam().message);
  EXPECT_EQ(error.path, GetParam().path);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, BadConfigTest,
    ::testing::ValuesIn(std::vector<BadConfig>{
        {"OneArm", sampling_config(1, 100), "arms must be 2 to 1024, not 1", "/arms"},
        {"TooManyArms", sampling_config(1025, 100), "arms must be 2 to 1024, not 1025", "/arms"},
        {"NoRounds", sampling_config(2, 0), "horizon must be 1 to 1e+09, not 0", "/horizon"},
        {"NegativePrePulls", sampling_config(2, 100, -1), "pre_pulls must be 0 to 1e+09, not -1",
         "/pre_pulls"},
        {"SmallVariance", sampling_config(2, 100, 0, 0.5), "variance must be 1 to 1e+12, not 0.5",
         "/variance"},
        {"NanVariance", sampling_config(2, 100, 0, std::nan("")),
         "variance must be 1 to 1e+12, not nan", "/variance"},
        {"PrePullsBeyondTheHorizon", sampling_config(5, 100, 30),
         "pre_pulls must be at most horizon / arms (b N <= T): 30 pre-pulls of 5 arms "
         "take 150 rounds, and horizon is 100",
         "/pre_pulls"}}),
    [](const auto& test) { return test.param.name; });

TEST(ThompsonSamplingConfig, FillsTheWholeHorizonWithPrePullsIfAsked) {
  EXPECT_TRUE(ModifiedThompsonSampling::create(sampling_config(5, 100, 20)));
}

}  // namespace
}  // namespace assay
