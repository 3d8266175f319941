// Simulating the comparators of Thompson sampling on five Bernoulli arms, rewards included.
//
//   cmake --preset release -DASSAY_BUILD_BENCHMARKS=ON && cmake --build build/release
//   build/release/benchmarks/baselines_benchmark
//
// Goal at 5 arms, one core: at least 20 million rounds a second.
#include <benchmark/benchmark.h>

#include "assay/policies/bandits/anytime_lazy_ucb.hpp"
#include "assay/policies/bandits/dp_successive_elimination.hpp"
#include "assay/policies/bandits/ucb1.hpp"
#include "assay/policies/environments/bernoulli_arms.hpp"
#include "assay/policies/simulation/play.hpp"

namespace assay {
namespace {

template <Policy P>
void BM_Simulate(benchmark::State& state) {
  constexpr std::int64_t kRounds = 100'000;
  typename P::Config config;
  config.arms = 5;
  const auto fresh = P::create(config).value();
  const auto arms = BernoulliArms::create({0.75, 0.625, 0.5, 0.375, 0.25}).value();
  std::uint64_t replicate = 0;
  for (auto _ : state) {
    auto policy = fresh;
    ReplayStream choices({.seed = 1, .replicate = replicate, .lane = 0});
    ReplayStream luck({.seed = 1, .replicate = replicate++, .lane = 1});
    double total = 0.0;
    play(policy, arms, kRounds, choices, luck,
         [&](std::int64_t, int, double reward) { total += reward; });
    benchmark::DoNotOptimize(total);
  }
  state.SetItemsProcessed(state.iterations() * kRounds);
}

BENCHMARK(BM_Simulate<DpSuccessiveElimination>)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Simulate<AnytimeLazyUcb>)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Simulate<Ucb1>)->Unit(benchmark::kMillisecond);

void BM_LogLikelihood(benchmark::State& state) {
  const std::vector<double> means{0.75, 0.625, 0.5, 0.375, 0.25};
  std::vector<detail::ArmFate> fates(5, detail::ArmFate::kSurvives);
  fates[4] = detail::ArmFate::kDropped;
  for (auto _ : state) {
    benchmark::DoNotOptimize(detail::log_survivor_probability(means, 1e-2, 0.3, fates));
  }
}

BENCHMARK(BM_LogLikelihood)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace assay
