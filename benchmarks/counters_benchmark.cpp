// Continual counters: time a step and a stream, memory of the running state, mean squared error.
//
//     build/release/benchmarks/counters_benchmark --benchmark_repetitions=3
//     --benchmark_report_aggregates_only=true
//
// items_per_second counts steps. The error rows (`error/...`) compute, they do not simulate: mean over
// t of the variance at mu = 1, sensitivity 1, beside the least of any factorisation.
#include <benchmark/benchmark.h>

#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/counters/honaker_counter.hpp"
#include "assay/mechanisms/release/counters/hybrid_counter.hpp"
#include "assay/mechanisms/release/counters/square_root_counter.hpp"
#include "assay/mechanisms/release/counters/tree_counter.hpp"

namespace assay {
namespace {

ReplayStream stream() { return ReplayStream({1, hash_purpose("benchmark")}); }

double entry(std::int64_t t) { return static_cast<double>(t & 1); }

// Whole streams step by step: the state is all the memory there is.
template <class Mechanism>
void run_steps(benchmark::State& state, const Mechanism& mechanism, std::int64_t steps) {
  for (auto _ : state) {
    auto random = stream();
    auto counter = mechanism.start();
    double last = 0.0;
    for (std::int64_t t = 0; t < steps; ++t) {
      counter.add(entry(t), random);
      last += counter.estimate();
    }
    benchmark::DoNotOptimize(last);
  }
  state.SetItemsProcessed(state.iterations() * steps);
}

template <class Mechanism>
void run_batch(benchmark::State& state, const Mechanism& mechanism, std::int64_t steps) {
  std::vector<double> input;
  for (std::int64_t t = 0; t < steps; ++t) input.push_back(entry(t));
  for (auto _ : state) {
    auto random = stream();
    benchmark::DoNotOptimize(mechanism.release(input, random).data());
  }
  state.SetItemsProcessed(state.iterations() * steps);
}

TreeCounterConfig tree(std::int64_t horizon, CounterNoise kind) {
  const bool pure = is_laplace(kind);
  return {horizon, 1.0, pure ? 0.0 : 1e-6, 1.0, 0.0, kind};
}

// The mean of `weight(t)` over t <= horizon.
template <class Weight>
double mean_over_time(std::int64_t horizon, Weight weight) {
  double sum = 0.0;
  for (std::int64_t t = 1; t <= horizon; ++t) sum += weight(t);
  return sum / static_cast<double>(horizon);
}

void errors(benchmark::State& state, std::int64_t horizon) {
  const auto config = tree(horizon, CounterNoise::kIdealizedGaussian);
  const auto plain = TreeCounterMechanism::create(config).value();
  const auto honaker = HonakerCounterMechanism::create(config).value();
  const auto root = idealized::SquareRootCounterMechanism::create({horizon, 1.0, 1.0, 0.0}).value();
  const auto hybrid =
      HybridCounterMechanism::create({1.0, 1e-6, 1.0, 0.0, 0.5, CounterNoise::kIdealizedGaussian})
          .value();
  // At mu = 1: a tree's node has variance h, the hybrid's scales shrink by its own mu.
  const double node = static_cast<double>(tree_levels(horizon)) / plain.noise().variance();
  const double mu = std::get<GaussianDp>(hybrid.guarantee().level).mu.value;
  double running = 0.0;
  const auto& f = root.factor().coefficients;
  const double squared_scale = root.factor().noise.scale() * root.factor().noise.scale();
  for (auto _ : state) {
    running = 0.0;
    state.counters["tree"] =
        mean_over_time(horizon, [&](auto t) { return plain.variance(t); }) * node;
    state.counters["honaker"] =
        mean_over_time(horizon, [&](auto t) { return honaker.variance(t); }) * node;
    state.counters["hybrid"] =
        mean_over_time(horizon, [&](auto t) { return hybrid.variance(t); }) * mu * mu;
    state.counters["square_root"] = mean_over_time(horizon, [&](auto t) {
      const double last = f[static_cast<std::size_t>(t - 1)];
      return squared_scale * (running += last * last);
    });
    state.counters["least"] = least_factorisation_error(horizon);
  }
}

const bool kRegistered = [] {
  constexpr std::int64_t kLong = 10'000'000;
  constexpr std::int64_t kMedium = 1 << 20;
  for (const auto& [kind, name] : enum_names(CounterNoise{})) {
    const auto config = tree(kLong, kind);
    const std::string suffix = "/" + std::string(name);
    benchmark::RegisterBenchmark(("steps/tree/1e7" + suffix).c_str(), [=](benchmark::State& state) {
      run_steps(state, TreeCounterMechanism::create(config).value(), kLong);
    })->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("batch/tree/1e7" + suffix).c_str(), [=](benchmark::State& state) {
      run_batch(state, TreeCounterMechanism::create(config).value(), kLong);
    })->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(("steps/honaker/1e7" + suffix).c_str(), [=](benchmark::State&
                                                                                 state) {
      run_steps(state, HonakerCounterMechanism::create(config).value(), kLong);
    })->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(
        ("steps/hybrid/1e7" + suffix).c_str(),
        [=, noise = kind](benchmark::State& state) {
          const HybridCounterConfig hybrid{1.0, config.delta, 1.0, 0.0, 0.5, noise};
          run_steps(state, HybridCounterMechanism::create(hybrid).value(), kLong);
        })
        ->Unit(benchmark::kMillisecond);
  }
  const auto root = [](std::int64_t horizon) {
    return idealized::SquareRootCounterMechanism::create({horizon, 1.0, 1.0, 0.0}).value();
  };
  benchmark::RegisterBenchmark("steps/square-root/2^20", [=](benchmark::State& state) {
    run_steps(state, root(kMedium), kMedium);
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("batch/square-root/2^20", [=](benchmark::State& state) {
    run_batch(state, root(kMedium), kMedium);
  })->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("create/square-root/2^20", [=](benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(root(kMedium));
  })->Unit(benchmark::kMillisecond);
  for (const std::int64_t horizon : {16, 128, 1024, 16'384, 1 << 20}) {
    benchmark::RegisterBenchmark(("error/" + std::to_string(horizon)).c_str(),
                                 [=](benchmark::State& state) { errors(state, horizon); })
        ->Iterations(1);
  }
  return true;
}();

}  // namespace
}  // namespace assay
