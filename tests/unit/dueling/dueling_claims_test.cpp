// Claims about private dueling bandits: the settings of certificates on the policies themselves.
#include <boost/math/distributions/binomial.hpp>

#include "assay/auditors/dueling/claims/checks.hpp"
#include "assay/auditors/dueling/claims/searches.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/ebs_elimination.hpp"
#include "assay/tests/support/sample_certificates.hpp"

namespace assay {
namespace {

// ---- the settings of certificates, played -------------------------------------------------------

// Arm 1 wins `first` of its plays, arm 2 the `second` of its own; whether an arm has left after
// `plays` of each.
bool leaves_after(std::int64_t plays, std::int64_t first, std::int64_t second) {
  EbsEliminationConfig config{.horizon = 42, .delta = 0.5};
  auto policy = EbsElimination::create(config).value();
  ReplayStream random({.seed = 1});
  std::array<std::int64_t, 2> left = {first, second};
  for (std::int64_t t = 0; t < 2 * plays; ++t) {
    if (policy.active().size() == 1) return true;
    auto& wins = left[static_cast<std::size_t>(policy.choose(random).first)];
    policy.observe(wins > 0);
    wins = std::max<std::int64_t>(0, wins - 1);
  }
  return policy.active().size() == 1;
}

TEST(DuelingCounterexamples, ThePhaseEndsOnlyWhereAnArmWinsAlways) {
  EXPECT_FALSE(leaves_after(20, 20, 0));
  EXPECT_TRUE(leaves_after(21, 21, 0));
  EXPECT_TRUE(leaves_after(21, 0, 21));
  EXPECT_FALSE(leaves_after(21, 20, 0));
  EXPECT_FALSE(leaves_after(21, 21, 1));
}

// Without noise, eps to infinity, Lemma 6 leaves 8 log(K T/delta)/Delta^2 pulls.
TEST(DuelingCounterexamples, AnArmIsPulledMoreOftenThanLemmaSixSaysWhileAllIntervalsHold) {
  EbsEliminationConfig config{.horizon = 16'384};
  auto policy = EbsElimination::create(config).value();
  const double cases = std::log(2.0 * 16'384.0 * 16'384.0);
  const std::array scores = {0.625, 0.375};  // of P(1,2) = 3/4
  const double bound = 8.0 * cases / 0.0625;
  ReplayStream random({.seed = 1});
  while (static_cast<double>(policy.rounds().plays(1)) <= bound) {
    ASSERT_EQ(policy.active().size(), 2u) << policy.round();
    const int arm = policy.choose(random).first;
    const auto i = static_cast<std::size_t>(arm);
    const auto n = static_cast<double>(policy.rounds().plays(arm) + 1);
    const double off = (arm == 0 ? -0.9 : 0.9) * std::sqrt(cases / n);
    policy.observe(static_cast<double>(policy.rounds().wins(arm)) + 1.0 <= n * (scores[i] + off));
    EXPECT_LE(policy.rounds().low(arm), scores[i]);
    EXPECT_GE(policy.rounds().high(arm), scores[i]);
  }
  EXPECT_LE(2.0 * bound, 16'384.0);
}

TEST(DuelingCounterexamples, NoArmLeavesWithThePrintedRadius) {
  DpEbsEliminationConfig config{
      .horizon = 1 << 18, .radius = Radius::kPaper, .calibration = Calibration::kPaper};
  auto policy = DpEbsElimination::create(config).value();
  EXPECT_LT(dueling_checks::duel_regret_at({18.0, 1.0, 2.0}).failure, 1e-15);
  ReplayStream choices({.seed = 2});
  ReplayStream luck({.seed = 3});
  std::int64_t regret = 0;  // 2 for each time that arm 2 is in a duel
  for (std::int64_t t = 0; t < config.horizon; ++t) {
    const Duel duel = policy.choose(choices);
    regret += 2 * (duel.first + duel.second);
    policy.observe(luck.uniform() < logistic(2.0 * (duel.second - duel.first)), choices);
  }
  EXPECT_EQ(policy.active().size(), 2u);
  EXPECT_NEAR(static_cast<double>(regret), 2.0 * config.horizon,
              5.0 * std::sqrt(1.0 * config.horizon));
}

// All duels of the phase count, t_0 among them: without noise the wins are binomial.
TEST(DuelingCounterexamples, AnItemOffTheOriginIsMisjudgedAsOftenAsStated) {
  const auto found =
      testing::confidence_certificate().counterexample.as<ConfidenceCounterexample>();
  const boost::math::binomial wins(found.duels, 0.5);
  const double farthest = found.duels * logistic(0.5 * found.gap);  // with w = 1/2
  const double error = 2.0 * cdf(complement(wins, std::floor(farthest)));
  EXPECT_GT(error, found.error);
  EXPECT_LT(error, found.error + 0.05);
}

// The policy reads no outcome of the initial draws, and is wrong more often.
TEST(DuelingCounterexamples, AnItemOffTheOriginIsMisjudgedByThePolicy) {
  const auto found =
      testing::confidence_certificate().counterexample.as<ConfidenceCounterexample>();
  GOptDpdbConfig config{.horizon = found.horizon,
                        .initial_draws = static_cast<std::int64_t>(found.initial)};
  const auto policy = GOptDpdb::create(config, {2, 1, {1.0, 1.0 - found.gap}}).value();
  EXPECT_EQ(static_cast<double>(policy.plan()->pulls.at(0)) + found.initial, found.duels);
  int wrong = 0;
  constexpr int kRuns = 16;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    auto player = policy;
    ReplayStream choices({.seed = 4, .replicate = run, .lane = 0});
    ReplayStream luck({.seed = 4, .replicate = run, .lane = 1});
    while (player.phase() == 1) {
      player.choose(choices);
      player.observe((luck.next() >> 63) != 0, choices);
    }
    wrong += std::fabs(player.last_release().scores.w.at(0)) > 0.5 ? 1 : 0;
  }
  EXPECT_GE(wrong, 8);  // of 16 at 0.822: below that with probability 6e-4
}

TEST(DuelingClaims, PropertyTwoIsRefutedByFourArms) {
  for (const auto& claim : dueling_claims()) {
    if (claim.id != "ebs-property-2") continue;
    const auto finding = claim.check({}, {}).value();
    EXPECT_EQ(finding.certificate->counterexample.as<BordaCounterexample>().scores.size(), 4u);
  }
}

}  // namespace
}  // namespace assay
