// Best-arm identification: Max-Det collections, the law of a phase that keeps the best of many arms, and
// plays of a release.
//
//   cmake --preset release -DASSAY_BUILD_BENCHMARKS=ON && cmake --build build/release
//   build/release/benchmarks/best_arm_benchmark
//
// Goals on one core: Max-Det by exchange for 10,000 arms of dimension 16 in 1 s, its certificate (max
// |alpha| - 1, the counter `above_one`) at most 1e-9; a set of a phase with 1,000 arms, one of a mean of its
// own, in 50 ms, down to probabilities of 1e-200 (the counter `log_p`). The family's figure is `assay simulate
// bai-fig1 --repetitions 1000 --threads 2`, with a goal of 60 s.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <vector>

#include "assay/auditors/best_arm/best_arm_pair.hpp"
#include "assay/auditors/best_arm/top_set_distribution.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/linear/linear_algebra.hpp"

namespace assay {
namespace {

void BM_MaxDet(benchmark::State& state) {
  const auto vectors =
      generated_features(FeatureKind::kSphere, state.range(0), state.range(1), 1).value();
  double worst = 0.0;
  for (auto _ : state) worst = std::max(worst, max_det_collection(vectors).largest);
  state.counters["above_one"] = worst - 1.0;
}
BENCHMARK(BM_MaxDet)
    ->ArgNames({"arms", "dimension"})
    ->Args({10'000, 16})
    ->Args({10'000, 64})
    ->Unit(benchmark::kMillisecond);

// The first of `arms` is kept with half of the others; its mean lies as many scales below theirs.
void BM_TopSet(benchmark::State& state) {
  const auto noise = state.range(2) == 0 ? PhaseNoise::kLaplace : PhaseNoise::kGaussian;
  const double inside = static_cast<double>(state.range(1) - 1);
  const double outside = static_cast<double>(state.range(0)) - 1.0 - inside;
  const std::array classes{ArmClass{-static_cast<double>(state.range(3)), 1.0, 1.0, 0.0},
                           ArmClass{0.0, 1.0, inside, outside}};
  double log_p = 0.0;
  for (auto _ : state) log_p = top_set_log_probability(noise, classes).value();
  state.counters["log_p"] = log_p;
}
BENCHMARK(BM_TopSet)
    ->ArgNames({"arms", "kept", "gaussian", "below"})
    ->Args({1000, 1, 0, 0})
    ->Args({1000, 1, 0, 460})
    ->Args({1000, 500, 0, 1})
    ->Args({1000, 1, 1, 25})
    ->Unit(benchmark::kMillisecond);

// A play of DP-BAI-Gauss on one side of a pair, with the loss of what it released.
void BM_Release(benchmark::State& state) {
  const auto policy =
      DpBaiGauss::create({.arms = state.range(0), .dimension = 2, .budget = 200}).value();
  const auto subject = phased_subject(policy, state.range(0), 200, TableIndex::kPull);
  const auto release =
      best_arm_release(subject, hard_reward_pairs(subject, 1).front(), 1e300).value();
  std::uint64_t replicate = 0;
  for (auto _ : state) {
    const ReplayStream random({.seed = 1, .replicate = replicate++});
    benchmark::DoNotOptimize(state.range(1) == 0 ? release->sample(Side::kBase, random)
                                                 : release->sample_tilted(0, Side::kBase, random));
  }
}
BENCHMARK(BM_Release)
    ->ArgNames({"arms", "tilted"})
    ->Args({8, 0})
    ->Args({8, 1})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace assay
