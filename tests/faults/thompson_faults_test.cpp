// Planted faults in Thompson sampling: each breaks a stated claim by a value that is
// computed exactly first, and is convicted with power at least 0.99 at a stated budget.
// The correct twin is acquitted.
//
// | fault                     | claim it breaks                        | true value  |
// |---------------------------|----------------------------------------|-------------|
// | half the variance         | the next round is sqrt(1/2)-GDP        | mu = 0.9951 |
// | denominator n, not n + 1  | the same                               | mu = 1.4072 |
// | raw rewards up to 10      | the same                               | mu = 7.0361 |
// | half the variance         | the correct twin's delta(0.2) at T = 6 | over 1.2 times |
// | sampler not as reported   | the reported probabilities             | scale x 0.8 |
//
// History: arm 1 once with the changed reward, then arm 2 two hundred times with reward 1/4.
// Power: all of 300 audits convict, so the power is at least 0.99 with 95% confidence
// (0.05^(1/300) = 0.990); of the 75 that run by default, at least 0.96.
#include "assay/auditors/methods/likelihood.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/core/parallel.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/enumerated_pair.hpp"
#include "assay/tests/support/faulty_thompson.hpp"
#include "assay/tests/support/history_pair.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/thompson_pairs.hpp"

namespace assay {
namespace {

const int kAudits = dear_repetitions(300);
constexpr int kThreads = 2;
constexpr std::int64_t kBudget = 4096;  // transcripts a side
constexpr double kDistributionAlpha = 1e-3;
constexpr double kDistributionEpsilon = 0.25;
const Mu kOneRound{std::sqrt(0.5)};

using FaultyPair = ThompsonPair<FaultyThompsonSampling>;

FaultyPair faulty_pair(ThompsonFault fault, std::int64_t arms, InputPair pair) {
  const auto config = thompson_config(arms, pair.base_input().rows);
  return FaultyPair(FaultyThompsonSampling(config, fault),
                    std::make_shared<const InputPair>(std::move(pair)));
}

constexpr int kSecondArmPulls = 200;

HistoryPair<FaultyPair> one_round(ThompsonFault fault) {
  std::vector<double> stream(kSecondArmPulls + 2, 0.25);
  stream.front() = 0.0;
  const InputPair pair = stream_pair(std::move(stream), 1, 1.0);
  std::vector<int> history(kSecondArmPulls + 1, 1);
  history.front() = 0;
  return HistoryPair<FaultyPair>(faulty_pair(fault, 2, pair), history);
}

// The law of the round after the history, as a table.
EnumeratedDistributions one_round_distributions(ThompsonFault fault) {
  return enumerate_transcripts(one_round(fault), 1).value();
}

double largest_delta(const ExactLoss& exact, double epsilon) {
  return std::max(exact.delta(Epsilon{epsilon}, Orientation::kBaseToNeighbour).lower.value.value,
                  exact.delta(Epsilon{epsilon}, Orientation::kNeighbourToBase).lower.value.value);
}

LikelihoodPlan distribution_plan(double claimed_delta, double epsilon, std::size_t run) {
  LikelihoodPlan plan{{.claim = ApproximateDp{Epsilon{epsilon}, Delta{claimed_delta}},
                       .confidence = 1.0 - kDistributionAlpha,
                       .seed = run + 1},
                      kBudget};
  plan.pilot = 256;
  plan.tilt_pilot = 32;
  plan.checked = 16;
  plan.least_tilted = 512;
  plan.band_points = 2;
  plan.trade_off_points = 1;
  plan.with_power = false;
  plan.augmented_mu = {Mu{std::numeric_limits<double>::infinity()}};
  return plan;
}

// Audits in which the claim is convicted.
int distribution_convictions(const EnumeratedDistributions& distributions, double claimed_delta,
                             double epsilon) {
  const EnumeratedPair fresh(distributions);
  return count_runs_in_parallel(kAudits, [&](std::size_t run) {
    const auto plan = distribution_plan(claimed_delta, epsilon, run);
    const auto evidence = audit_by_likelihood(fresh, PathSearchResult{}, plan, {}).value();
    return decide(plan.claim, evidence, std::nullopt).verdict == Verdict::kViolated;
  });
}

struct OneRoundFault {
  ThompsonFault fault;
  double true_mu;
};

class OneRoundClaim : public ::testing::TestWithParam<OneRoundFault> {};

TEST_P(OneRoundClaim, IsBrokenByTheStatedValueAndConvicted) {
  const auto [fault, true_mu] = GetParam();
  const auto distributions = one_round_distributions(fault);
  const auto exact = ExactLoss::create(distributions).value();
  EXPECT_NEAR(exact.mu().lower.value.value, true_mu, 1e-4);
  const double claimed = gdp_delta(kOneRound, Epsilon{kDistributionEpsilon}).value;
  ASSERT_GT(largest_delta(exact, kDistributionEpsilon), claimed);
  EXPECT_EQ(distribution_convictions(distributions, claimed, kDistributionEpsilon), kAudits);
}

INSTANTIATE_TEST_SUITE_P(Faults, OneRoundClaim,
                         ::testing::Values(OneRoundFault{ThompsonFault::kHalfVariance, 0.99506},
                                           OneRoundFault{ThompsonFault::kNoShrinkage, 1.40723},
                                           OneRoundFault{ThompsonFault::kRawReward, 7.03615}));

TEST(CorrectCounterpart, KeepsTheOneRoundClaimAndIsAcquitted) {
  const auto distributions = one_round_distributions(ThompsonFault::kNone);
  const auto exact = ExactLoss::create(distributions).value();
  EXPECT_LE(exact.mu().upper.value.value, kOneRound.value);
  EXPECT_EQ(distribution_convictions(distributions,
                                     gdp_delta(kOneRound, Epsilon{kDistributionEpsilon}).value,
                                     kDistributionEpsilon),
            0);
}

TEST(EnumeratedCounterpart, ConvictsHalfTheVarianceAndAcquitsTheCorrectPolicy) {
  const InputPair pair = stream_pair({0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, 1, 1.0);
  constexpr double kAt = 0.2;
  const auto correct = enumerate_transcripts(thompson_pair(2, pair), kThreads).value();
  const auto faulty =
      enumerate_transcripts(faulty_pair(ThompsonFault::kHalfVariance, 2, pair), kThreads).value();
  const auto exact = ExactLoss::create(correct).value();
  const double claimed =
      std::max(exact.delta(Epsilon{kAt}, Orientation::kBaseToNeighbour).upper.value.value,
               exact.delta(Epsilon{kAt}, Orientation::kNeighbourToBase).upper.value.value);
  ASSERT_GT(largest_delta(ExactLoss::create(faulty).value(), kAt), 1.2 * claimed);
  EXPECT_EQ(distribution_convictions(faulty, claimed, kAt), kAudits);
  EXPECT_LE(distribution_convictions(correct, claimed, kAt),
            binomial_limit(kAudits, kDistributionAlpha, 1));
}

TEST(EnumeratedCounterpart, TheSecondImplementationAgreesWithThePolicy) {
  const InputPair pair = stream_pair({0.0, 1.0, 0.5, 0.0, 1.0}, 2, 0.25);
  const auto one = enumerate_transcripts(thompson_pair(3, pair), kThreads).value();
  const auto two = enumerate_transcripts(faulty_pair(ThompsonFault::kNone, 3, pair), 1).value();
  for (std::size_t i = 0; i < one.log_p.size(); ++i) {
    EXPECT_NEAR(one.log_p[i], two.log_p[i], 1e-12);
    EXPECT_NEAR(one.log_q[i], two.log_q[i], 1e-12);
  }
}

class Misreported : public ::testing::Test {
 protected:
  static constexpr std::int64_t kTranscripts = 256;  // a side, as every audit spends

  // Rewards that keep the two arms' means apart, so that the spread of theta decides.
  static FaultyPair pair_of(ThompsonFault fault) {
    std::vector<double> stream(100, 0.0);
    std::fill_n(stream.begin(), 5, 1.0);
    return faulty_pair(fault, 2, stream_pair(std::move(stream), 1, 0.0));
  }
  static int alarms(ThompsonFault fault) {
    const auto fresh = pair_of(fault);
    return count_runs_in_parallel(kAudits, [&](std::size_t run) {
      return check_probabilities(fresh, {run + 1, kTranscripts, kDistributionAlpha}, {})
          .evidence()
          .alarm();
    });
  }
};

TEST_F(Misreported, ASamplerWithFourFifthsOfTheReportedScaleRaisesTheCalibrationAlarm) {
  EXPECT_EQ(alarms(ThompsonFault::kMisreported), kAudits);
}

TEST_F(Misreported, ACorrectSamplerDoesNot) {
  EXPECT_LE(alarms(ThompsonFault::kNone), binomial_limit(kAudits, 0.5 * kDistributionAlpha, 1));
}

TEST_F(Misreported, AFailedCheckLeavesNoVerdictButInconclusive) {
  auto plan = distribution_plan(1e-6, 0.1, 7);
  plan.checked = kTranscripts;
  const auto evidence = audit_by_likelihood(pair_of(ThompsonFault::kMisreported),
                                            PathSearchResult{}, plan, RunControl{});
  const auto decision = decide(plan.claim, evidence.value(), std::nullopt);
  EXPECT_EQ(decision.verdict, Verdict::kInconclusive);
  EXPECT_NE(decision.reason.find("calibration"), std::string::npos);
}

}  // namespace
}  // namespace assay
