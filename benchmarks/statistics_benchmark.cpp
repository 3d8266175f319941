// Confidence bounds and power: cmake --preset release -DASSAY_BUILD_BENCHMARKS=ON, then
//   build/release/benchmarks/statistics_benchmark
// Goal: a lower bound of 500,000 values in 30 ms. Dense data are bound by three multiplications and
// additions per value and open mean; rare hits by the Poisson prices of the means still open.
#include <benchmark/benchmark.h>

#include <vector>

#include "assay/auditors/statistics/betting.hpp"
#include "assay/auditors/statistics/reported_probabilities.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

constexpr double kTestAlpha = 1e-4;

// `hits` per million of the values are uniform on (0, 1), the others 0.
std::vector<double> values(std::int64_t count, std::int64_t hits) {
  ReplayStream random({1, hash_purpose("benchmark"), 0, 0});
  std::vector<double> out(static_cast<std::size_t>(count));
  const double share = static_cast<double>(hits) * 1e-6;
  for (double& v : out) v = random.uniform() < share ? random.uniform() : 0.0;
  return out;
}

BettingPlan plan_of(std::int64_t count, std::int64_t hits) {
  const double share = static_cast<double>(hits) * 1e-6;
  return {kTestAlpha, count, share / 2.0, share / 3.0 - share * share / 4.0};
}

void lower_bound(benchmark::State& state) {
  const auto data = values(state.range(0), state.range(1));
  const auto plan = plan_of(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(mean_lower_bound(data, plan));
}

void upper_bound(benchmark::State& state) {
  const auto data = values(state.range(0), state.range(1));
  const auto plan = plan_of(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(mean_upper_bound(data, 1.0, plan));
}

void sample_sizes(benchmark::internal::Benchmark* b) {
  for (const std::int64_t hits : {10, 1000, 100000, 1000000}) b->Args({500000, hits});
  b->ArgNames({"values", "hits_per_million"})->Unit(benchmark::kMillisecond);
}
BENCHMARK(lower_bound)->Apply(sample_sizes);
BENCHMARK(upper_bound)->Apply(sample_sizes);

void sequential_test(benchmark::State& state) {
  const auto data = values(500000, 100000);
  const auto plan = plan_of(500000, 100000);
  for (auto _ : state) {
    MeanExceedsTest test(plan.design_mean, plan);
    test.observe(data);
    benchmark::DoNotOptimize(test.max_log_wealth());
  }
  state.SetItemsProcessed(state.iterations() * 500000);
}
BENCHMARK(sequential_test)->Unit(benchmark::kMillisecond);

void visible_mean(benchmark::State& state) {
  const double claim = static_cast<double>(state.range(0)) * 1e-6;
  for (auto _ : state) {
    benchmark::DoNotOptimize(smallest_visible_mean(claim, {kTestAlpha, 1000000, 0.0, 0.0}, 0.9, 1));
  }
}
BENCHMARK(visible_mean)->Arg(0)->Arg(1)->Arg(1000)->Arg(300000)->Unit(benchmark::kMillisecond);

void probability_check_round(benchmark::State& state) {
  ReportedProbabilityTest test(kTestAlpha);
  const std::vector<double> log_pi{-1.2, -1.4, -1.6, -1.8, -2.28}, rewards{0.0, 1.0, 0.5, 0.2, 0.3};
  int action = 0;
  for (auto _ : state) {
    test.round(log_pi, log_pi, rewards, action);
    action = (action + 1) % 5;
  }
}
BENCHMARK(probability_check_round);

void agreement(benchmark::State& state) {
  const auto p = values(100000, 1000000), q = values(100000, 1000000);
  for (auto _ : state) {
    AgreementTest test(kTestAlpha);
    test.observe(p, q);
    benchmark::DoNotOptimize(test.evidence().log_e_value());
  }
  state.SetItemsProcessed(state.iterations() * 100000);
}
BENCHMARK(agreement)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
