// A target at exactly its claimed level, or one that drifts and keeps its claim in every state, must not be
// convicted more often than alpha says, although pair, score and event are chosen from its plays; and its
// leaking twin is.
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

// Every fourth audit may stop, with enough runs for its early tries.
void may_stop(std::uint64_t seed, BlackBoxPlan& plan) {
  if (seed % 4 != 1) return;
  plan.stop_when_decided = true;
  plan.samples = 4200;
}

struct Audited {
  bool refuted = false;
  bool above_truth = false;  // the bound on eps
};

Audited audit_teller(double epsilon, std::uint64_t seed) {
  auto players = Players::create(std::make_unique<FunctionTarget>(teller(6, epsilon)), 1).value();
  BlackBoxPlan plan{{.claim = PureDp{Epsilon{1.0}}, .confidence = 1.0 - kAuditAlpha, .seed = seed},
                    400};
  plan.say_visible = plan.check_certified = false;
  may_stop(seed, plan);
  plan.pairs = structural_pairs(players.shape(), 4);
  const auto report = audit_black_box(players, true, plan, {}).value();
  return {report.decision->verdict == Verdict::kViolated,
          report.evidence.quantities.front().lower.value > epsilon * (1.0 + 1e-12)};
}

TEST(BlackBoxValidity, ATrueClaimAtItsBoundaryIsRefutedAtMostAsOftenAsAlphaSays) {
  const int runs = dear_repetitions(1000);
  const int refuted =
      count_runs(runs, [](std::uint64_t run) { return audit_teller(1.0, run).refuted; });
  EXPECT_LE(refuted, binomial_limit(runs, kAuditAlpha, 6));
}

// The teller fails with probability 0.002 besides, whatever its input: as private as before.
TEST(BlackBoxValidity, FailuresAtRandomAreRefutedAtMostAsOftenAsAlphaSays) {
  const auto is_refuted = [](bool leaks_by_failing, std::uint64_t seed) {
    auto told = std::make_shared<FunctionTarget>(teller(6, 1.0));
    const FunctionTarget target(
        told->shape(), [told, leaks_by_failing](const InputTable& input, ReplayStream& random,
                                                std::vector<double>& out) {
          const double fails = leaks_by_failing && input.values[0] > 0.5 ? 0.2 : 0.002;
          if (random.uniform() < fails) return;
          const std::uint64_t word = random.next();
          out = told->play(input, std::span(&word, 1)).value().values;
        });
    auto players = Players::create(target.clone().value(), 1).value();
    BlackBoxPlan plan{
        {.claim = PureDp{Epsilon{1.0}}, .confidence = 1.0 - kAuditAlpha, .seed = seed}, 400};
    plan.say_visible = plan.check_certified = false;
    may_stop(seed, plan);
    plan.pairs = structural_pairs(players.shape(), 4);
    const auto report = audit_black_box(players, true, plan, {}).value();
    return report.decision->verdict == Verdict::kViolated;
  };
  const int runs = dear_repetitions(1000);
  EXPECT_LE(count_runs(runs, [&](std::uint64_t run) { return is_refuted(false, run); }),
            binomial_limit(runs, kAuditAlpha, 6));
  EXPECT_GE(count_runs(runs / 20, [&](std::uint64_t run) { return is_refuted(true, 20 * run); }),
            runs / 20 * 9 / 10);
}

// Ones with a probability that the number of plays decides, e^epsilon times as many on one input. In a
// state of rate r the zeros are (1 - e^-epsilon r)/(1 - r) times as many on the other, which is at most
// e^epsilon where r <= e^epsilon/(1 + e^epsilon): up to there, and not above, epsilon holds.
FunctionTarget drifting(double epsilon, std::function<double(double runs)> rate) {
  InputShape shape{.kind = InputKind::kMechanism};
  auto runs = std::make_shared<double>(0.0);
  return {shape, [=](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            const double leak = input.values[0] > 0.5 ? 1.0 : std::exp(-epsilon);
            out.push_back(random.uniform() < leak * rate(*runs) ? 1.0 : 0.0);
            *runs += 1.0;
          }};
}

bool refutes_drifting(double epsilon, double claim, const std::function<double(double)>& rate,
                      std::uint64_t seed) {
  auto players =
      Players::create(std::make_unique<FunctionTarget>(drifting(epsilon, rate)), 1).value();
  BlackBoxPlan plan{
      {.claim = PureDp{Epsilon{claim}}, .confidence = 1.0 - kAuditAlpha, .seed = seed}, 600};
  plan.say_visible = plan.check_certified = false;
  may_stop(seed, plan);
  plan.pairs = {pair_of({1, 1, {0.0}}, {1, 1, {1.0}}).value()};
  return audit_black_box(players, false, plan, {}).value().decision->verdict == Verdict::kViolated;
}

TEST(BlackBoxValidity, TargetsThatDriftAreRefutedAtMostAsOftenAsAlphaSays) {
  const int runs = dear_repetitions(2000);
  struct Drift {
    double epsilon;
    std::function<double(double)> rate;
  };
  const Drift drifts[] = {
      {0.0, [](double runs) { return std::fmod(std::floor(runs / 1024.0), 2.0); }},
      {0.0, [](double runs) { return 0.5 + 0.49 * std::sin(runs / 400.0); }},
      {0.0, [](double runs) { return std::min(1.0, runs / 3000.0); }},
      // Ones are at the boundary in every state, zeros where the rate is the largest.
      {1.0, [most = 1.0 / (1.0 + std::exp(-1.0))](double runs) {
         return most * (0.5 + 0.5 * std::sin(runs / 200.0));
       }}};
  for (const auto& drift : drifts) {
    const int refuted = count_runs(runs, [&](std::uint64_t run) {
      return refutes_drifting(drift.epsilon, drift.epsilon, drift.rate, run);
    });
    EXPECT_LE(refuted, binomial_limit(runs, kAuditAlpha, 6)) << drift.rate(100.0);
  }
  // It does find something where there is something.
  const int few = dear_repetitions(100);
  EXPECT_GE(
      count_runs(
          few, [&](std::uint64_t run) { return refutes_drifting(1.0, 0.3, drifts[3].rate, run); }),
      few * 9 / 10);
}

TEST(BlackBoxValidity, ItsLeakingCounterpartIsConvicted) {
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
