// RNM-FTNL at exactly its claimed level, in a black box: it must not be convicted more often than
// alpha says, although pair, score and event are chosen from its plays; at the printed scale of
// exponential noise it is.
//
// K = 2, T = 4, exponential noise: from the second epoch on the worst pair loses 2/scale, no less
// (ftnl_worst.hpp), and it is among the pairs that the search starts from.
#include "assay/auditors/experts/ftnl_worst.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/experts_cases.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/recorded_losses.hpp"

namespace assay {
namespace {

RnmFtnl exponential_ftnl(Calibration calibration) {
  return ftnl(2, 4, LeaderNoise::kExponential, false, calibration);
}

FunctionTarget experts_target(const RnmFtnl& policy) {
  InputShape shape{.kind = InputKind::kExperts,
                   .arms = policy.config().actions,
                   .horizon = policy.config().horizon};
  return {shape, [policy](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            const auto actions = play_recorded(policy, input, random);
            out.assign(actions.begin(), actions.end());
          }};
}

// The search's own pairs that change the second round, the attained one among them: few, so that
// many audits can be run.
std::vector<InputPair> pairs_of_round_2(const InputShape& shape) {
  auto pairs = structural_pairs(shape, 100);
  std::erase_if(pairs, [](const InputPair& pair) { return pair.changed_row() != 1; });
  return pairs;
}

bool is_convicted(const RnmFtnl& policy, std::uint64_t seed) {
  auto players =
      Players::create(std::make_unique<FunctionTarget>(experts_target(policy)), 1).value();
  BlackBoxPlan plan{{.claim = PureDp{Epsilon{1.0}}, .confidence = 1.0 - kAuditAlpha, .seed = seed},
                    400};
  plan.say_visible = false;
  plan.pairs = pairs_of_round_2(players.shape());
  return audit_black_box(players, true, plan, {}).value().decision->verdict == Verdict::kViolated;
}

int convictions(Calibration calibration, int runs) {
  const auto policy = exponential_ftnl(calibration);
  return count_runs(runs, [&](std::uint64_t seed) { return is_convicted(policy, seed); });
}

TEST(ExpertsValidity, TheClaimIsAttained) {
  const auto policy = exponential_ftnl(Calibration::kCorrected);
  const auto distributions =
      leader_distributions(policy, pair_of_groups(policy.config(), worst_groups_for_pure(policy)));
  EXPECT_NEAR(distributions.log_p[0] - distributions.log_q[0], 1.0, 1e-12);
}

TEST(ExpertsValidity, ATrueClaimAtItsBoundaryIsRefutedAtMostAsOftenAsAlphaSays) {
  const int runs = 150;
  EXPECT_LE(convictions(Calibration::kCorrected, runs), binomial_limit(runs, kAuditAlpha, 1));
}

TEST(ExpertsValidity, ThePrintedScaleIsConvicted) {
  const int runs = 50;
  EXPECT_GE(convictions(Calibration::kPaper, runs), runs * 9 / 10);
}

}  // namespace
}  // namespace assay
