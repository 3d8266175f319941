// Claims as properties of the policies themselves, by the checks that users have (check.hpp): composition, levels, the
// sensitivity of released statistics, and regret theorems with certified intervals. docs/properties.md lists which
// property checks which claim.
#include "assay/auditors/experts/claims/regret_bounds.hpp"
#include "assay/check.hpp"
#include "assay/mechanisms/accounting/composition.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/policies/bandits/ucb1.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/instances.hpp"
#include "assay/policies/best_arm/schedule.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/experts/random_prefix.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

// ---- composition, against the exact composition of mechanisms that attain the levels -------------

template <class Level>
CheckOutcome check_our_sum() {
  return check_composition<Level>([](std::span<const Level> levels) { return compose(levels); });
}

TEST(CompositionChecks, PureAndApproximateLevelsAddUp) {
  EXPECT_TRUE(check_our_sum<PureDp>());
  EXPECT_TRUE(check_our_sum<ApproximateDp>());
}
TEST(CompositionChecks, GaussianLevelsAddUpBySquares) { EXPECT_TRUE(check_our_sum<GaussianDp>()); }
TEST(CompositionChecks, ConcentratedLevelsAddUp) {
  EXPECT_TRUE(check_our_sum<ZeroConcentratedDp>());
}
TEST(CompositionChecks, RenyiCurvesAddUpAtEveryOrder) { EXPECT_TRUE(check_our_sum<RenyiDp>()); }

// ---- levels, on random configurations and neighbours ---------------------------------------------

TEST(LevelChecks, ThompsonSamplingKeepsItsLevel) {
  // Each of its probabilities is an integral, so runs stay short.
  EXPECT_TRUE(check_privacy_level<ModifiedThompsonSampling>(
      {.cases = 20, .parameters = {{"horizon", "6"}}}));
}
TEST(LevelChecks, FollowTheNoisyLeaderKeepsItsLevel) {
  EXPECT_TRUE(check_privacy_level<RnmFtnl>(
      {.cases = 10, .runs = 500, .parameters = {{"calibration", "corrected"}}}));
}
TEST(LevelChecks, ExponentialNoiseOfThePrintedScaleIsFound) {
  const auto outcome = check_privacy_level<RnmFtnl>(
      {.cases = 40,
       .parameters = {{"calibration", "paper"}, {"noise", "exponential"}, {"resample", "false"}}});
  EXPECT_FALSE(outcome);
  // Two experts, and the first action that any loss decides.
  EXPECT_THAT(outcome.message, ::testing::HasSubstr("actions = 2, horizon = 2, epsilon = 1\n"));
}
TEST(LevelChecks, EliminationOfDuelsKeepsItsLevel) {
  EXPECT_TRUE(check_privacy_level<DpEbsElimination>({.cases = 10}));
}

// ---- sensitivity of the statistics that policies release -----------------------------------------

// On the actions 0, 1, 2, 0, 1, .. an arm's mean moves by at most 1/(n + 1), and no other mean moves.
TEST(SensitivityChecks, PosteriorMeansMoveByOneOverTheirPulls) {
  constexpr std::int64_t kArms = 3;
  const auto scaled_means = [](const InputTable& rewards) {
    auto policy =
        ModifiedThompsonSampling::create({.arms = kArms, .horizon = rewards.rows}).value();
    for (std::int64_t t = 0; t < rewards.rows; ++t) {
      policy.advance(static_cast<int>(t % kArms));
      policy.observe(rewards.values[static_cast<std::size_t>(t)]);
    }
    std::vector<double> scaled(policy.means().begin(), policy.means().end());
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      scaled[i] *= static_cast<double>(policy.counts()[i] + 1);
    }
    return scaled;
  };
  const auto pairs =
      neighbouring_pairs({.kind = InputKind::kBandit, .horizon = 12}, PairLength::kUpToShape);
  EXPECT_TRUE(check_sensitivity(pairs, scaled_means, StatisticNorm::kL1, 1.0));
  EXPECT_FALSE(check_sensitivity(pairs, scaled_means, StatisticNorm::kL1, 0.99));
}

// The sums over an epoch (or, for the random prefix, over prefixes) from which the noisy leader is taken.
template <class P>
CheckOutcome check_sums(double stated) {
  const auto sums = [](const InputTable& losses) {
    auto policy = P::create({.actions = losses.columns, .horizon = losses.rows}).value();
    ReplayStream random({7});
    for (std::int64_t t = 0; t < losses.rows; ++t) {
      policy.choose(random);
      policy.observe(losses.row(t), random);
    }
    return std::vector<double>(policy.sums().begin(), policy.sums().end());
  };
  return check_sensitivity(
      neighbouring_pairs({.kind = InputKind::kExperts, .arms = 4, .horizon = 9},
                         PairLength::kUpToShape),
      sums, StatisticNorm::kMax, stated);
}

TEST(SensitivityChecks, SumsOfLossesMoveByOne) {
  EXPECT_TRUE(check_sums<RnmFtnl>(1.0));
  EXPECT_TRUE(check_sums<RandomPrefix>(1.0));
  EXPECT_FALSE(check_sums<RnmFtnl>(0.99));
}

// ---- regret theorems, with certified intervals ---------------------------------------------------

std::vector<double> gaps_below(double best, std::span<const double> values) {
  std::vector<double> gaps;
  for (const double value : values) gaps.push_back(std::fabs(best - value));
  std::sort(gaps.begin(), gaps.end());
  gaps.erase(gaps.begin());
  return gaps;  // of all actions but one of the best
}

std::vector<double> reward_gaps(const RegretSetting& setting) {
  return gaps_below(*std::max_element(setting.values.begin(), setting.values.end()),
                    setting.values);
}

// "Improved Regret in Stochastic Decision-Theoretic Online Learning", Theorem 2, with the constants of its proof.
TEST(RegretChecks, FollowTheNoisyLeaderKeepsTheoremTwo) {
  const auto bound = [](const RnmFtnlConfig& config, const RegretSetting& setting) {
    std::vector<GapGroup> groups;
    for (const double gap : gaps_below(
             *std::min_element(setting.values.begin(), setting.values.end()), setting.values)) {
      groups.push_back({gap, 1.0});
    }
    if (groups.front().gap == 0.0) return HUGE_VAL;
    return expert_checks::theorem_2_bound(groups, config.epsilon, expert_checks::kC2);
  };
  const CheckPlan plan{
      .cases = 30, .runs = 200, .parameters = {{"resample", "true"}}, .most_rounds = 20'000};
  EXPECT_TRUE(check_regret_bound<RnmFtnl>(bound, plan));
  const auto hundredth = [&](const auto& config, const auto& setting) {
    return bound(config, setting) / 100.0;
  };
  EXPECT_FALSE(check_regret_bound<RnmFtnl>(hundredth, plan));
}

// "Thompson Sampling Itself is Differentially Private", (9) summed over the arms; where T < bN + 4/D^2, T pulls.
TEST(RegretChecks, ThompsonSamplingKeepsTheBoundOnPulls) {
  const auto bound = [](const ModifiedThompsonSamplingConfig& config,
                        const RegretSetting& setting) {
    const auto rounds = static_cast<double>(setting.horizon);
    const auto forced = static_cast<double>(config.pre_pulls);
    double sum = 0.0;
    for (const double gap : reward_gaps(setting)) {
      const double free = rounds - forced * static_cast<double>(config.arms);
      const double pulls = gap * gap * free < 4.0 ? rounds
                                                  : forced + 14.0 / (gap * gap) +
                                                        5130.0 * config.variance / (gap * gap) *
                                                            std::log(free * gap * gap);
      sum += gap * pulls;
    }
    return sum;
  };
  EXPECT_TRUE(check_regret_bound<ModifiedThompsonSampling>(
      bound, {.cases = 30, .runs = 200, .most_rounds = 2000}));
}

// "Fixed-Budget Differentially Private Best Arm Identification", (76), times the largest gap, on unit vectors (d = K).
TEST(RegretChecks, BestArmIdentificationKeepsTheoremFourTwo) {
  const auto bound = [](const DpBaiConfig& config, const RegretSetting& setting) {
    const auto schedule = elimination_schedule(Schedule::kProof, config.arms, config.dimension);
    const auto gaps = reward_gaps(setting);
    BestArmInstance instance;
    instance.features = {config.arms, config.dimension, {}};
    instance.means = setting.values;
    const double best = *std::max_element(setting.values.begin(), setting.values.end());
    for (const double mean : setting.values) instance.arm_gaps.push_back(best - mean);
    const auto phases = static_cast<double>(schedule.phases());
    const double h = hardness(instance, config.epsilon).total();
    if (!std::isfinite(h)) return gaps.back();
    return gaps.back() *
           (12.0 * phases + 4.0 * static_cast<double>(schedule.first_stage) * schedule.lambda) *
           std::exp(-static_cast<double>(schedule.effective_budget(setting.horizon)) /
                    (64.0 * phases * h));
  };
  EXPECT_TRUE(check_regret_bound<DpBai>(
      bound,
      {.cases = 30, .runs = 200, .parameters = {{"schedule", "proof"}}, .most_rounds = 20'000}));
}

// "DP-Dueling", Theorem 1, with the constants of its proof. Its refutation needs more than 1e5 rounds (duel-regret).
TEST(RegretChecks, EliminationOfDuelsKeepsTheoremOneOnShortRuns) {
  const auto bound = [](const DpEbsEliminationConfig& config, const RegretSetting& setting) {
    const double log_arms =
        std::log(static_cast<double>(config.arms) * static_cast<double>(setting.horizon));
    const double log_rounds = std::log(static_cast<double>(setting.horizon));
    double sum = 128.0 * log_arms * std::pow(log_rounds, 2.5) / config.epsilon;
    for (const double gap : reward_gaps(setting)) {
      const double lead = 1.0 / (1.0 + std::exp(-gap)) - 0.5;
      if (gap > 0.0) sum += 16.0 * log_arms / lead;
    }
    return sum;
  };
  EXPECT_TRUE(
      check_regret_bound<DpEbsElimination>(bound, {.cases = 20, .runs = 200, .most_rounds = 2000}));
}

// Auer, Cesa-Bianchi, Fischer (2002), Theorem 1: a bound that is far from vacuous at these sizes.
TEST(RegretChecks, UpperConfidenceBoundsKeepTheTextbookBound) {
  const auto bound = [](const Ucb1Config&, const RegretSetting& setting) {
    double sum = 0.0;
    for (const double gap : reward_gaps(setting)) {
      if (gap == 0.0) continue;
      const auto rounds = static_cast<double>(setting.horizon);
      sum += std::min(gap * rounds, 8.0 * std::log(rounds) / gap + 4.29 * gap);
    }
    return sum;
  };
  EXPECT_TRUE(check_regret_bound<Ucb1>(bound, {.cases = 30, .runs = 200, .most_rounds = 2000}));
  const auto tenth = [&](const auto& config, const auto& setting) {
    return bound(config, setting) / 10.0;
  };
  EXPECT_FALSE(check_regret_bound<Ucb1>(tenth, {.cases = 30, .runs = 200, .most_rounds = 2000}));
}

}  // namespace
}  // namespace assay
