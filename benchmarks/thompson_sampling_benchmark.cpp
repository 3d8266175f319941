// Simulating Thompson sampling on Bernoulli arms, beside a plain loop over the standard library.
//
//   cmake --preset release -DASSAY_BUILD_BENCHMARKS=ON && cmake --build build/release
//   build/release/benchmarks/thompson_sampling_benchmark
//
// Goals at 10 arms and 10,000 rounds, one core, both sides in the same x86-64 baseline build: at
// least 30 million rounds a second, and at least 6 times the plain loop.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/policies/environments/bernoulli_arms.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/policies/simulation/simulation.hpp"

namespace assay {
namespace {

std::vector<double> means_of(std::int64_t arms) {
  std::vector<double> means;
  for (std::int64_t i = 0; i < arms; ++i) {
    means.push_back(0.9 - 0.8 * static_cast<double>(i) / static_cast<double>(arms));
  }
  return means;
}

void BM_ThompsonSampling(benchmark::State& state) {
  ModifiedThompsonSamplingConfig config;
  config.arms = state.range(0);
  config.horizon = state.range(1);
  const auto fresh = ModifiedThompsonSampling::create(config).value();
  const auto arms = BernoulliArms::create(means_of(config.arms)).value();
  std::uint64_t replicate = 0;
  for (auto _ : state) {
    auto policy = fresh;
    ReplayStream choices({.seed = 1, .replicate = replicate, .lane = 0});
    ReplayStream luck({.seed = 1, .replicate = replicate++, .lane = 1});
    double total = 0.0;
    play(policy, arms, config.horizon, choices, luck,
         [&](std::int64_t, int, double reward) { total += reward; });
    benchmark::DoNotOptimize(total);
  }
  state.SetItemsProcessed(state.iterations() * config.horizon);
}

// The runner of `assay simulate`: regrets, pulls and instance privacy recorded beside the play.
void BM_SimulationRunner(benchmark::State& state) {
  ModifiedThompsonSamplingConfig config;
  config.arms = state.range(0);
  config.horizon = state.range(1);
  Simulation simulation;
  simulation.id = "benchmark";
  simulation.horizon = config.horizon;
  simulation.repetitions = 20;
  simulation.series.push_back(make_series("thompson",
                                          ModifiedThompsonSampling::create(config).value(),
                                          BernoulliArms::create(means_of(config.arms)).value()));
  for (auto _ : state) {
    ++simulation.seed;
    auto runner = SimulationRunner::create({}, {}).value();
    benchmark::DoNotOptimize(runner.run(simulation).value());
  }
  state.SetItemsProcessed(state.iterations() * simulation.repetitions * config.horizon);
}

// What one would write first: every sample of every arm from std::normal_distribution.
void BM_PlainThompsonLoop(benchmark::State& state) {
  const auto arms = static_cast<std::size_t>(state.range(0));
  const std::int64_t horizon = state.range(1);
  const auto means = means_of(state.range(0));
  std::mt19937_64 engine(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  for (auto _ : state) {
    std::vector<double> sums(arms, 0.0);
    std::vector<double> counts(arms, 0.0);
    double total = 0.0;
    for (std::int64_t t = 0; t < horizon; ++t) {
      std::size_t best = 0;
      double best_theta = -HUGE_VAL;
      for (std::size_t i = 0; i < arms; ++i) {
        const double shrunk = counts[i] + 1.0;
        const double theta = sums[i] / shrunk + normal(engine) / std::sqrt(shrunk);
        if (theta > best_theta) {
          best_theta = theta;
          best = i;
        }
      }
      const double reward = uniform(engine) < means[best] ? 1.0 : 0.0;
      sums[best] += reward;
      counts[best] += 1.0;
      total += reward;
    }
    benchmark::DoNotOptimize(total);
  }
  state.SetItemsProcessed(state.iterations() * horizon);
}

BENCHMARK(BM_ThompsonSampling)
    ->ArgNames({"arms", "horizon"})
    ->Args({2, 10'000})
    ->Args({5, 100'000})
    ->Args({10, 10'000})
    ->Args({100, 10'000});
BENCHMARK(BM_SimulationRunner)->ArgNames({"arms", "horizon"})->Args({5, 100'000});
BENCHMARK(BM_PlainThompsonLoop)
    ->ArgNames({"arms", "horizon"})
    ->Args({2, 10'000})
    ->Args({10, 10'000})
    ->Args({100, 10'000});

}  // namespace
}  // namespace assay
