// What one-run audits certify beside the paired event method, at equal numbers of plays.
//
// Counters, means over five seeds at confidence 0.95: `bound`, the certified lower bound (on eps at the
// delta of the claim, or on mu); `plays`, all that the target had to make, checks and training
// included. Claims are far below the truth, so that bounds are what is compared. For mechanisms the event
// method gets one pair, which differs in the first entry; for bandits it searches the first eight
// structural pairs.
#include <benchmark/benchmark.h>

#include <atomic>
#include <memory>
#include <vector>

#include "assay/auditors/methods/one_run/one_run_audit.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/tests/support/canary_targets.hpp"

namespace assay {
namespace {

constexpr double kConfidence = 0.95;
constexpr int kSeeds = 5;

FunctionTarget thompson(std::int64_t horizon) {
  ModifiedThompsonSamplingConfig config;
  config.horizon = horizon;
  return {bandit_shape(2, horizon),
          [config](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            auto policy = ModifiedThompsonSampling::create(config).value();
            for (const double reward : input.values) {
              out.push_back(policy.choose(random));
              policy.observe(reward);
            }
          }};
}

FunctionTarget counted(FunctionTarget target, std::atomic<std::int64_t>& runs) {
  const InputShape shape = target.shape();
  const auto inside = std::make_shared<FunctionTarget>(std::move(target));
  return {shape,
          [inside, &runs](const InputTable& input, ReplayStream& random, std::vector<double>& out) {
            ++runs;
            const std::vector<std::uint64_t> seed{random.next()};
            out = std::move(inside->play(input, seed).value().values);
          }};
}

double main_bound(const BlackBoxOutcome& outcome) {
  return outcome.evidence.quantities.front().lower.value;
}

template <class Audit>
void measure(benchmark::State& state, const FunctionTarget& target, Audit&& audit) {
  std::atomic<std::int64_t> runs{0};
  double bound = 0.0;
  for ([[maybe_unused]] auto _ : state) {
    runs = 0;
    bound = 0.0;
    for (int seed = 0; seed < kSeeds; ++seed) {
      auto players =
          Players::create(std::make_unique<FunctionTarget>(counted(target, runs)), 1).value();
      bound += main_bound(audit(players, static_cast<std::uint64_t>(seed))) / kSeeds;
    }
  }
  state.counters["bound"] = bound;
  state.counters["plays"] = static_cast<double>(runs) / kSeeds;
}

void one_run(benchmark::State& state, const FunctionTarget& target, PrivacyLevel claim,
             std::int64_t training, std::int64_t runs) {
  const auto canaries = Canaries::structural(target.shape(), 0).value();
  measure(state, target, [&](Players& players, std::uint64_t seed) {
    OneRunPlan plan;
    plan.claim = claim;
    plan.confidence = kConfidence;
    plan.seed = seed;
    plan.training = training;
    plan.runs = runs;
    return audit_one_run(players, true, canaries, plan, {}).value();
  });
}

// 4,320 plays for a mechanism, 16,608 for a bandit.
void events(benchmark::State& state, const FunctionTarget& target, PrivacyLevel claim) {
  const bool mechanism = target.shape().kind == InputKind::kMechanism;
  measure(state, target, [&](Players& players, std::uint64_t seed) {
    BlackBoxPlan plan;
    plan.claim = claim;
    plan.confidence = kConfidence;
    plan.seed = seed;
    plan.samples = 1000;
    plan.say_visible = false;
    plan.pairs = structural_pairs(players.shape(), mechanism ? 1 : 8);
    return audit_black_box(players, true, plan, {}).value();
  });
}

// As many plays as `events` takes.
void one_run_equal(benchmark::State& state, const FunctionTarget& target, PrivacyLevel claim) {
  const bool mechanism = target.shape().kind == InputKind::kMechanism;
  one_run(state, target, claim, mechanism ? 400 : 2000, mechanism ? 3650 : 14336);
}

const PrivacyLevel kPure = PureDp{Epsilon{0.1}};
const PrivacyLevel kApproximate = ApproximateDp{Epsilon{0.1}, Delta{1e-5}};
const PrivacyLevel kGaussian = GaussianDp{Mu{0.1}};

// NOLINTNEXTLINE: one line a row of the table in docs/benchmarks.md.
#define ASSAY_COMPARE(name, target, claim)                                            \
  void name##_one_run_once(benchmark::State& s) { one_run(s, target, claim, 40, 1); } \
  void name##_one_run_equal(benchmark::State& s) { one_run_equal(s, target, claim); } \
  void name##_events(benchmark::State& s) { events(s, target, claim); }               \
  BENCHMARK(name##_one_run_once)->Iterations(1)->Unit(benchmark::kMillisecond);       \
  BENCHMARK(name##_one_run_equal)->Iterations(1)->Unit(benchmark::kMillisecond);      \
  BENCHMARK(name##_events)->Iterations(1)->Unit(benchmark::kMillisecond)

ASSAY_COMPARE(bits_100, released_bits(100, 1.0), kPure);
ASSAY_COMPARE(bits_1000, released_bits(1000, 1.0), kPure);
ASSAY_COMPARE(gaussian_1000_epsilon, noisy_values(1000, 1.0), kApproximate);
ASSAY_COMPARE(gaussian_1000_mu, noisy_values(1000, 1.0), kGaussian);
ASSAY_COMPARE(doubling_bandit_30, doubling_bandit(30, 0.1), kPure);
ASSAY_COMPARE(doubling_bandit_300, doubling_bandit(300, 0.1), kPure);
ASSAY_COMPARE(thompson_20_epsilon, thompson(20), kApproximate);
ASSAY_COMPARE(thompson_200_epsilon, thompson(200), kApproximate);
ASSAY_COMPARE(thompson_20_mu, thompson(20), kGaussian);

}  // namespace
}  // namespace assay
