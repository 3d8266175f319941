// A target at exactly its claimed level, or one that drifts and keeps its claim in every state, must not be
// convicted more often than alpha says, although pair, score and event are chosen from its plays; and its
// leaking twin is.
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

struct Audited {
  bool refuted = false;
  bool above_truth = false;  // the bound on eps
};

Audited audit_teller(double epsilon, std::uint64_t seed) {
  auto players = Players::create(std::make_unique<FunctionTarget>(teller(6, epsilon)), 1).value();
  BlackBoxPlan plan;
  plan.claim = PureDp{Epsilon{1.0}};
  plan.confidence = 1.0 - kAuditAlpha;
  plan.samples = 400;
  plan.seed = seed;
  plan.say_visible = plan.check_certified = false;
  plan.pairs = structural_pairs(players.shape(), 4);
  const auto report = audit_black_box(players, true, plan, {}).value();
  return {report.decision->verdict == Verdict::kViolated,
          report.evidence.quantities.front().lower.value > epsilon * (1.0 + 1e-12)};
}

TEST(BlackBoxValidity, ATrueClaimAtItsBoundaryIsRefutedAtMostAsOftenAsAlphaSays) {
  const int runs = dear_repetitions(1000);
  int refuted = 0;
  for (int run = 0; run < runs; ++run) {
    refuted += audit_teller(1.0, static_cast<std::uint64_t>(run)).refuted ? 1 : 0;
  }
  EXPECT_LE(refuted, binomial_limit(runs, kAuditAlpha, 6));
}

// The teller fails with probability 0.002 besides, whatever its input: as private as before.
TEST(BlackBoxValidity, FailuresAtRandomAreRefutedAtMostAsOftenAsAlphaSays) {
  const int runs = dear_repetitions(1000);
  int refuted = 0, leaks = 0;
  for (int run = 0; run < runs; ++run) {
    for (const bool leaks_by_failing : {false, true}) {
      if (leaks_by_failing && run % 20 != 0) continue;
      auto told = std::make_shared<FunctionTarget>(teller(6, 1.0));
      const FunctionTarget target(
          told->shape(), [told, leaks_by_failing](const InputTable& input, ReplayStream& random,
                                                  std::vector<double>& out) {
            const double fails = leaks_by_failing && input.values[0] > 0.5 ? 0.2 : 0.002;
            if (random.uniform() < fails) return;
            const std::uint64_t seed = random.next();
            out = told->play(input, std::span(&seed, 1)).value().values;
          });
      auto players = Players::create(target.clone().value(), 1).value();
      BlackBoxPlan plan;
      plan.claim = PureDp{Epsilon{1.0}};
      plan.confidence = 1.0 - kAuditAlpha;
      plan.samples = 400;
      plan.seed = static_cast<std::uint64_t>(run);
      plan.say_visible = plan.check_certified = false;
      plan.pairs = structural_pairs(players.shape(), 4);
      const auto report = audit_black_box(players, true, plan, {}).value();
      const bool is_refuted = report.decision->verdict == Verdict::kViolated;
      (leaks_by_failing ? leaks : refuted) += is_refuted ? 1 : 0;
    }
  }
  EXPECT_LE(refuted, binomial_limit(runs, kAuditAlpha, 6));
  EXPECT_GE(leaks, runs / 20 * 9 / 10);
}

// Ones with a probability that the number of plays decides, e^epsilon times as many on one input. In a
// state of rate r the zeros are (1 - e^-epsilon r)/(1 - r) times as many on the other, which is at most
// e^epsilon where r <= e^epsilon/(1 + e^epsilon): up to there, and not above, epsilon holds.
FunctionTarget drifting(double epsilon, std::function<double(double plays)> rate) {
  InputShape shape{.kind = InputKind::kMechanism};
  auto plays = std::make_shared<double>(0.0);
  return {shape, [=](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            const double leak = input.values[0] > 0.5 ? 1.0 : std::exp(-epsilon);
            out.push_back(random.uniform() < leak * rate(*plays) ? 1.0 : 0.0);
            *plays += 1.0;
          }};
}

Verdict audit_drifting(double epsilon, double claim, const std::function<double(double)>& rate,
                       std::uint64_t seed) {
  auto players =
      Players::create(std::make_unique<FunctionTarget>(drifting(epsilon, rate)), 1).value();
  BlackBoxPlan plan;
  plan.claim = PureDp{Epsilon{claim}};
  plan.confidence = 1.0 - kAuditAlpha;
  plan.samples = 600;
  plan.seed = seed;
  plan.say_visible = plan.check_certified = false;
  plan.pairs = {pair_of({1, 1, {0.0}}, {1, 1, {1.0}}).value()};
  return audit_black_box(players, false, plan, {}).value().decision->verdict;
}

TEST(BlackBoxValidity, TargetsThatDriftAreRefutedAtMostAsOftenAsAlphaSays) {
  const int runs = dear_repetitions(2000);
  struct Drift {
    double epsilon;
    std::function<double(double)> rate;
  };
  const Drift drifts[] = {
      {0.0, [](double plays) { return std::fmod(std::floor(plays / 1024.0), 2.0); }},
      {0.0, [](double plays) { return 0.5 + 0.49 * std::sin(plays / 400.0); }},
      {0.0, [](double plays) { return std::min(1.0, plays / 3000.0); }},
      // Ones are at the boundary in every state, zeros where the rate is the largest.
      {1.0, [most = 1.0 / (1.0 + std::exp(-1.0))](double plays) {
         return most * (0.5 + 0.5 * std::sin(plays / 200.0));
       }}};
  for (const auto& drift : drifts) {
    int refuted = 0;
    for (int run = 0; run < runs; ++run) {
      const auto verdict =
          audit_drifting(drift.epsilon, drift.epsilon, drift.rate, static_cast<std::uint64_t>(run));
      refuted += verdict == Verdict::kViolated ? 1 : 0;
    }
    EXPECT_LE(refuted, binomial_limit(runs, kAuditAlpha, 6)) << drift.rate(100.0);
  }
  // It does find something where there is something.
  int refuted = 0;
  for (int run = 0; run < dear_repetitions(100); ++run) {
    const auto verdict = audit_drifting(1.0, 0.3, drifts[3].rate, static_cast<std::uint64_t>(run));
    refuted += verdict == Verdict::kViolated ? 1 : 0;
  }
  EXPECT_GE(refuted, dear_repetitions(100) * 9 / 10);
}

TEST(BlackBoxValidity, ItsLeakingTwinIsConvicted) {
  const int runs = dear_repetitions(200);
  int refuted = 0, above = 0;
  for (int run = 0; run < runs; ++run) {
    const auto audited = audit_teller(2.0, static_cast<std::uint64_t>(run));
    refuted += audited.refuted ? 1 : 0;
    above += audited.above_truth ? 1 : 0;
  }
  EXPECT_LE(above, binomial_limit(runs, kAuditAlpha, 6));
  EXPECT_GE(refuted, runs * 98 / 100);
}

}  // namespace
}  // namespace assay
