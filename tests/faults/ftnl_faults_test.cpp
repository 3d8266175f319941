// Planted faults in RNM-FTNL: each breaks eps-DP by a value that is computed exactly first, and is
// convicted by the black-box audit at a stated budget and a fixed seed; the correct twin is not.
//
// K = 2, T = 8, eps = 1, exponential noise of scale 2 unless said; vectors of rounds 1..7 matter.
//
// | fault                        | what leaks                                       | true level  |
// |------------------------------|--------------------------------------------------|-------------|
// | noise drawn once, reused     | later leaders compare their sums with the same Q | infinite    |
// | epochs overlap by one round  | a vector at the boundary is read by two draws    | up to 2 eps |
// | the current epoch is seen    | the vector of round 4 is read by four draws      | up to 4 eps |
// | the printed scale 1/eps      | one draw                                         | 2 eps       |
#include "assay/auditors/experts/ftnl_worst.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/tests/support/experts_cases.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/recorded_losses.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

enum class LeaderFault { kNone, kReusedNoise, kOverlap, kCurrentEpoch, kPrintedScale };

constexpr std::int64_t kHorizon = 8;

// One play of the faulty twin, over its own loop: Q is
// drawn anew for each leader, but for kReusedNoise.
std::vector<double> faulty_play(LeaderFault fault, const InputTable& input, ReplayStream& random) {
  const auto noise = Exponential::create(fault == LeaderFault::kPrintedScale ? 1.0 : 2.0).value();
  const auto arms = static_cast<std::size_t>(input.columns);
  std::vector<double> noises(arms);
  noise.fill(random, noises);
  std::vector<double> actions;
  std::size_t leader = random.next() % arms;
  const auto draw = [&](std::int64_t first, std::int64_t end) {  // rounds first..end - 1, from 1
    if (fault != LeaderFault::kReusedNoise) noise.fill(random, noises);
    double most = -HUGE_VAL;
    for (std::size_t j = 0; j < arms; ++j) {
      double score = noises[j];
      for (std::int64_t t = first; t < end; ++t) {
        score -= input.values[static_cast<std::size_t>(t - 1) * arms + j];
      }
      if (score > most) most = score, leader = j;
    }
  };
  for (std::int64_t t = 1; t <= input.rows; ++t) {
    const std::int64_t start = std::int64_t{1} << (epoch_of(t) - 1);  // of t's epoch
    if (fault == LeaderFault::kCurrentEpoch) {
      draw(start, t + 1);
    } else if (t == start && t > 1) {
      const std::int64_t first = start / 2;
      draw(fault == LeaderFault::kOverlap ? std::max<std::int64_t>(1, first - 1) : first, start);
    }
    actions.push_back(static_cast<double>(leader));
  }
  return actions;
}

InputShape experts_shape(std::int64_t arms) {
  return InputShape{.kind = InputKind::kExperts, .arms = arms, .horizon = kHorizon};
}

BlackBoxOutcome audit_leader(LeaderFault fault, double epsilon) {
  const auto shape = experts_shape(2);
  FunctionTarget target(
      shape, [fault](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
        out = faulty_play(fault, input, random);
      });
  BlackBoxPlan plan{{.claim_text = "test", .claim = PureDp{Epsilon{epsilon}}}, 20'000};
  plan.pairs = structural_pairs(shape, 24);
  plan.say_visible = false;
  auto players = Players::create(std::make_unique<FunctionTarget>(std::move(target)), 1).value();
  return audit_black_box(players, true, plan, {}).value();
}

double lower_bound(const Gathered& report) {
  for (const auto& quantity : report.evidence.quantities) {
    if (quantity.kind == QuantityKind::kEpsilonAtDelta && quantity.at == 0.0) {
      return quantity.lower.value;
    }
  }
  ADD_FAILURE() << "no eps at delta = 0";
  return 0.0;
}

// ---- the true levels ----------------------------------------------------------------------------

// The boundary vector of overlapping epochs: round 3 is the last of epoch 2 and the first that the
// draw of epoch 3 reads. Both draws are of the same law family, independent given the data.
TEST(FtnlFaults, AVectorReadByTwoDrawsLosesTwiceTheLossOfOne) {
  const auto policy = ftnl(2, 3, LeaderNoise::kExponential);
  const std::vector<ExpertGroup> opposed{{0.0, 0.0, 1.0, 1}, {0.0, 1.0, 0.0, 1}};
  const auto distributions = grouped_distributions(policy.noise(), opposed);
  const double one = distributions.log_p[0] - distributions.log_q[0];
  EXPECT_NEAR(one, 0.8317965657511, 1e-12);
  EXPECT_GT(2.0 * one,
            1.0);  // so the overlap breaks eps = 1 already on losses that are zero elsewhere
}

TEST(FtnlFaults, NoiseThatIsReusedTellsTheInputApartForSure) {
  // Rounds 1 and 2..3 on zeros but for round 1 = (0, 1) or (1, 0): with Q fixed, J_1 and J_2 differ
  // in one direction only.
  const auto transcripts = [](double own) {
    InputTable input{kHorizon, 2, std::vector<double>(16, 0.0)};
    input.values[0] = own;
    input.values[1] = 1.0 - own;
    std::map<std::pair<double, double>, int> seen;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      ReplayStream random({3, hash_purpose("tests/ftnl-faults"), i});
      const auto actions = faulty_play(LeaderFault::kReusedNoise, input, random);
      ++seen[{actions[1], actions[3]}];
    }
    return seen;
  };
  auto base_side = transcripts(0.0);
  auto neighbour_side = transcripts(1.0);
  EXPECT_GT((base_side[{0.0, 1.0}]), 100);
  EXPECT_EQ((neighbour_side[{0.0, 1.0}]), 0);
}

// ---- verdicts -----------------------------------------------------------------------------------

TEST(FtnlFaults, TheCounterpartWithoutFaultPlaysLikeThePolicy) {
  // The loop of this file against RnmFtnl, on one input: the last leader's frequency, 5 sigma.
  InputTable losses = InputTable::zeros(kHorizon, 2);
  losses.row(4)[0] = 1.0;
  int counterpart = 0;
  int policy = 0;
  constexpr int kRuns = 20'000;
  for (std::uint64_t i = 0; i < kRuns; ++i) {
    ReplayStream random({4, hash_purpose("tests/ftnl-faults"), i});
    counterpart += faulty_play(LeaderFault::kNone, losses, random).back() == 0.0 ? 1 : 0;
    policy += play_recorded(ftnl(2, kHorizon, LeaderNoise::kExponential), losses,
                            ReplayStream({5, hash_purpose("tests/ftnl-faults"), i}))
                          .back() == 0
                  ? 1
                  : 0;
  }
  EXPECT_LT(std::abs(counterpart - policy), 5.0 * std::sqrt(2.0 * 0.25 * kRuns));
}

TEST(FtnlFaults, TheCorrectCounterpartIsAcquitted) {
  const auto report = audit_leader(LeaderFault::kNone, 1.0);
  EXPECT_EQ(report.decision->verdict, Verdict::kNotRefuted) << report.decision->reason;
  EXPECT_GT(lower_bound(report), 0.6);  // it comes near: the pair and the event were found
}

struct LeaderConviction {
  LeaderFault fault;
  double claim;
  double above, at_most;  // the bound of eps that is certified
};

TEST(FtnlFaults, EachIsConvictedBelowItsTrueLevel) {
  for (const auto& [fault, claim, above, at_most] :
       {LeaderConviction{LeaderFault::kReusedNoise, 1.0, 3.0, HUGE_VAL},
        LeaderConviction{LeaderFault::kOverlap, 1.0, 1.0, 2.0},
        LeaderConviction{LeaderFault::kCurrentEpoch, 1.0, 1.0, 4.0},
        LeaderConviction{LeaderFault::kPrintedScale, 1.5, 1.5, 2.0}}) {
    SCOPED_TRACE(static_cast<int>(fault));
    const auto report = audit_leader(fault, claim);
    EXPECT_EQ(report.decision->verdict, Verdict::kViolated) << report.decision->reason;
    EXPECT_GT(lower_bound(report), above);
    EXPECT_LE(lower_bound(report), at_most);
  }
}

}  // namespace
}  // namespace assay
