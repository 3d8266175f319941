// The exact test of event counts: cmake --preset release -DASSAY_BUILD_BENCHMARKS=ON, then
//   build/release/benchmarks/exact_test_benchmark
// Goal: a lower bound in a few ms. A decision sums the two laws within six standard deviations at 12
// to 64 points of the boundary; a bound takes 15 to 25 decisions.
#include <benchmark/benchmark.h>

#include <cmath>

#include "assay/auditors/statistics/exact_test.hpp"
#include "assay/auditors/statistics/pair_betting.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

constexpr double kAlpha = 0.05;

// p = 0.3, q = 0.1 in `runs` runs a side, or 1e-3 and 1e-5 (rounded) where `rare`.
ExactTest counts_test(std::int64_t runs, bool rare) {
  const auto n = static_cast<double>(runs);
  const auto x = static_cast<std::int64_t>(std::round(n * (rare ? 1e-3 : 0.3)));
  const auto y = static_cast<std::int64_t>(std::round(n * (rare ? 1e-5 : 0.1)));
  return ExactTest::create({x, runs, y, runs}, kAlpha).value();
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const std::int64_t n : {1000, 10000, 100000, 1000000}) b->Args({n, 0});
  for (const std::int64_t n : {10000, 1000000}) b->Args({n, 1});
  b->ArgNames({"runs", "rare"})->Unit(benchmark::kMillisecond);
}

// At the bound itself, where the decision is hardest.
void decision(benchmark::State& state) {
  const auto test = counts_test(state.range(0), state.range(1) != 0);
  const Epsilon epsilon = test.epsilon_lower_bound(Delta{1e-5}).value;
  for (auto _ : state) benchmark::DoNotOptimize(test.refutes(epsilon, Delta{1e-5}));
}
BENCHMARK(decision)->Apply(sizes);

void epsilon_bound(benchmark::State& state) {
  const auto test = counts_test(state.range(0), state.range(1) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(test.epsilon_lower_bound(Delta{1e-5}));
}
BENCHMARK(epsilon_bound)->Apply(sizes);

void mu_bound(benchmark::State& state) {
  const auto test = counts_test(state.range(0), state.range(1) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(test.mu_lower_bound());
}
BENCHMARK(mu_bound)->Apply(sizes);

void power(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(exact_test_power(state.range(0), state.range(0), kAlpha, Epsilon{0.9},
                                              Delta{1e-5}, 0.3, 0.1));
  }
}
BENCHMARK(power)->Arg(1000)->Arg(100000)->ArgName("runs")->Unit(benchmark::kMillisecond);

void pair_betting(benchmark::State& state) {
  ReplayStream random({1, hash_purpose("benchmark"), 0, 0});
  PairBettingPlan plan;
  plan.horizon = 1'000'000'000;
  auto test = PairBettingTest::create(Epsilon{1.0}, Delta{1e-5}, plan).value();
  for (auto _ : state) {
    test.observe(random.uniform() < 0.27 ? 1.0 : 0.0, random.uniform() < 0.1 ? 1.0 : 0.0);
  }
  benchmark::DoNotOptimize(test.wealth());
}
BENCHMARK(pair_betting);

}  // namespace
}  // namespace assay
