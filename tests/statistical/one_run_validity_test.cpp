// One-run audits of targets that are exactly as private as claimed: refuted no more often than alpha
// says, although guesses, and how many of them, are learnt; and twins that leak are convicted.
#include "assay/auditors/methods/one_run/one_run_audit.hpp"
#include "assay/auditors/statistics/one_run.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/canary_targets.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

constexpr int kOneRunCells = 10;  // counts of false refutations in this file

int one_run_refutations(const FunctionTarget& target, PrivacyLevel claim, int repeats,
                        std::int64_t runs = 1) {
  const auto canaries = Canaries::structural(target.shape(), 0).value();
  auto players = Players::create(std::make_unique<FunctionTarget>(target), 1).value();
  OneRunPlan plan{{.claim = claim, .confidence = 1.0 - kAuditAlpha}, runs, 30};
  return count_runs(repeats, [&](std::uint64_t seed) {
    plan.seed = seed;
    const auto outcome = audit_one_run(players, true, canaries, plan, {});
    return outcome.value().decision->verdict == Verdict::kViolated;
  });
}

struct AtItsBoundary {
  const char* name;
  FunctionTarget target;
  PrivacyLevel claim;
  int repeats;
  std::int64_t runs;
};

TEST(OneRunValidity, TrueClaimsAtTheirBoundaryAreRefutedAtMostAsOftenAsAlphaSays) {
  const PureDp eps{Epsilon{1.0}};
  const GaussianDp mu{Mu{1.0}};
  const AtItsBoundary rows[] = {
      {"randomised response", released_bits(60, 1.0), eps, 100, 1},
      {"several runs", released_bits(12, 1.0), eps, 100, 5},
      {"a bandit that tells its rewards", teller(40, 1.0), eps, 60, 1},
      {"Gaussian noise", noisy_values(60, 1.0), mu, 60, 1},
      {"Gaussian noise, bet on run by run", noisy_values(40, 1.0), mu, 60, 100}};
  for (const auto& [name, target, claim, repeats, runs] : rows) {
    EXPECT_LE(one_run_refutations(target, claim, repeats, runs),
              binomial_limit(repeats, kAuditAlpha, kOneRunCells))
        << name;
  }
}

// Every run tells its bits by randomised response at epsilon, at a loudness that is fixed before it. But the
// target remembers what it was sent: from run 30 on, whoever trains having ended, ten runs that were luckily
// right stay the loudest, and others are drowned by the next. Guesses by confidence over all runs would be
// right too often; each run by itself is as private as claimed.
FunctionTarget drowning(std::int64_t count, double epsilon) {
  struct Memory {
    std::int64_t runs = 0;
    double low = 1e3, high = 1e6, loud = 0.0;
    double right = 0.0, told = 0.0;
  };
  InputShape shape{.kind = InputKind::kMechanism};
  shape.inputs = shape.outputs = count;
  auto memory = std::make_shared<Memory>();
  return {shape, [=](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            Memory& m = *memory;
            const double lies = 1.0 / (1.0 + std::exp(epsilon));
            // Checks send zeros; then come 30 runs to train, and those that are certified.
            if (std::count(input.values.begin(), input.values.end(), 0.0) == count) m = {-1};
            const std::int64_t run = m.runs++;
            if (run >= 0 && run % 10 == 0) m.loud = m.low + 0.12 * (m.high - m.low);
            const double loud = run >= 30 ? m.loud : random.uniform() < 0.1 ? 1.0 : 0.0;
            for (const double bit : input.values) {
              const bool is_lie = random.uniform() < lies;
              out.push_back((bit > 0.5) != is_lie ? loud : -loud);
              if (run < 30) continue;
              m.told += 1.0;
              m.right += is_lie ? 0.0 : 1.0;
            }
            if (run < 30 || run % 10 != 9) return;
            const double z =
                (m.right - m.told * (1.0 - lies)) / std::sqrt(m.told * lies * (1.0 - lies));
            (z > 1.2 ? m.high : m.low) = m.loud;
            m.right = m.told = 0.0;
          }};
}

TEST(OneRunValidity, ATargetThatDrownsItsWrongAnswers) {
  const int repeats = 60;
  EXPECT_LE(one_run_refutations(drowning(32, 1.0), PureDp{Epsilon{1.0}}, repeats, 100),
            binomial_limit(repeats, kAuditAlpha, kOneRunCells));
}

// It never reads its input: what it says is its number, or the bits of the run before.
FunctionTarget late_bits(std::int64_t count, bool drifts) {
  InputShape shape{.kind = InputKind::kMechanism};
  shape.inputs = shape.outputs = count;
  auto last = std::make_shared<std::vector<double>>(static_cast<std::size_t>(count), 0.0);
  auto runs = std::make_shared<double>(0.0);
  return {shape, [=](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            *runs += 1.0;
            for (const double bit : *last) {
              const double drift = std::sin(*runs / 20.0) + random.uniform();
              out.push_back(drifts ? drift : bit + 0.1 * random.uniform());
            }
            *last = input.values;
          }};
}

TEST(OneRunValidity, TargetsThatDriftOrAnswerLate) {
  const int repeats = dear_repetitions(2000);
  const int limit = binomial_limit(repeats, kAuditAlpha, kOneRunCells);
  EXPECT_LE(one_run_refutations(late_bits(40, true), PureDp{Epsilon{0.0}}, repeats), limit);
  EXPECT_LE(one_run_refutations(late_bits(40, false), PureDp{Epsilon{0.0}}, repeats), limit);
  EXPECT_LE(one_run_refutations(late_bits(4, false), PureDp{Epsilon{0.0}}, repeats, 40), limit);
}

// The guesses are as dependent as they can be, and the test is exact: it errs about as often as it may.
TEST(OneRunValidity, TheWorstDistributionOfDependentBitsAtItsEpsilonAndDelta) {
  const WorstBits worst{40, 1.0, 36, 4.7};
  const double tail = one_run_p_value({40, 40, 36}, Epsilon{1.0}, Delta{worst.delta()}).value.value;
  double exact = 0.0;
  for (std::size_t l = 36; l <= 40; ++l) exact += worst.distribution()[l];
  EXPECT_NEAR(tail, exact, 1e-6);
  EXPECT_LT(tail, 0.8 * kAuditAlpha);  // a count of 36 refutes
  const int repeats = 200;
  const int refuted = one_run_refutations(
      worst.target(), ApproximateDp{Epsilon{1.0}, Delta{worst.delta()}}, repeats);
  EXPECT_LE(refuted, binomial_limit(repeats, kAuditAlpha, kOneRunCells));
  // Levels that are refuted have probability `tail`, above 0.03: none in 200 would be a broken test.
  EXPECT_GT(tail, 0.03);
  EXPECT_GT(refuted, 0);
}

TEST(OneRunPower, ASingleRunConvictsTwiceTheClaim) {
  const int repeats = 40;
  EXPECT_GE(one_run_refutations(released_bits(200, 2.0), PureDp{Epsilon{1.0}}, repeats),
            repeats * 98 / 100);
  EXPECT_GE(one_run_refutations(noisy_values(500, 0.5), GaussianDp{Mu{0.8}}, repeats),
            repeats * 98 / 100);
}

}  // namespace
}  // namespace assay
