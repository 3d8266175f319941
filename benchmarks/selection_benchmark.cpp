// Selection: report noisy max, the exponential mechanism both ways, peeling, distributions.
//
//     build/release/benchmarks/selection_benchmark
//
// Counters: items are candidates (of distributions: probabilities).
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/mechanisms/idealized/peeling.hpp"
#include "assay/mechanisms/noisy_max/noisy_max_distribution.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/exponential_mechanism.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"
#include "assay/mechanisms/release/top_k.hpp"

namespace assay {
namespace {

ReplayStream selection_stream() {
  return ReplayStream({1, hash_purpose("benchmarks/selection"), 0, 0, Phase::kCertify});
}

// Uniform on [0, 50]: all different.
std::vector<double> scores_of(std::int64_t n) {
  auto random = selection_stream();
  std::vector<double> scores(static_cast<std::size_t>(n));
  for (double& q : scores) q = 50.0 * random.uniform();
  return scores;
}

void count_items(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// A configuration of report noisy max ends at 1024 answers; beyond, the same loop over the noise.
void noisy_max(benchmark::State& state) {
  const auto scores = scores_of(state.range(0));
  const auto noise = Laplace::create(0.0, 2.0).value();
  std::vector<double> noisy(scores.size());
  auto random = selection_stream();
  for (auto _ : state) {
    noise.fill(random, noisy);
    std::size_t best = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      noisy[i] += scores[i];
      if (noisy[i] > noisy[best]) best = i;
    }
    benchmark::DoNotOptimize(best);
  }
  count_items(state);
}
BENCHMARK(noisy_max)->Arg(10)->Arg(1000)->Arg(1'000'000);

void report_noisy_max(benchmark::State& state) {
  const auto scores = scores_of(state.range(0));
  const auto mechanism = ReportNoisyMax::create({1.0, state.range(0), MaxNoise::kLaplace}).value();
  auto random = selection_stream();
  for (auto _ : state) benchmark::DoNotOptimize(mechanism.release(scores, random));
  count_items(state);
}
BENCHMARK(report_noisy_max)->Arg(10)->Arg(1000);

void exponential_blocks(benchmark::State& state) {
  const auto scores = scores_of(state.range(0));
  const auto mechanism = ExponentialMechanism::create({1.0, 1.0, state.range(0)}).value();
  auto random = selection_stream();
  for (auto _ : state) benchmark::DoNotOptimize(mechanism.release(scores, random));
  count_items(state);
}
BENCHMARK(exponential_blocks)->RangeMultiplier(10)->Range(1000, 10'000'000);

void exponential_streaming(benchmark::State& state) {
  const auto scores = scores_of(state.range(0));
  const auto mechanism = ExponentialMechanism::create({1.0, 1.0, state.range(0)}).value();
  auto random = selection_stream();
  for (auto _ : state) benchmark::DoNotOptimize(mechanism.release_streaming(scores, random));
  count_items(state);
}
BENCHMARK(exponential_streaming)->RangeMultiplier(10)->Range(1000, 10'000'000);

// Items are draws.
void exponential_thousand_draws(benchmark::State& state) {
  const auto scores = scores_of(state.range(0));
  const auto mechanism = ExponentialMechanism::create({1.0, 1.0, state.range(0)}).value();
  auto random = selection_stream();
  std::vector<double> out(1000);
  for (auto _ : state) mechanism.release_many(scores, random, out);
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(exponential_thousand_draws)->Arg(1000)->Arg(1'000'000);

void top_ten(benchmark::State& state) {
  const auto scores = scores_of(state.range(0));
  const auto mechanism = TopK::create({.answers = state.range(0), .count = 10}).value();
  auto random = selection_stream();
  for (auto _ : state) benchmark::DoNotOptimize(mechanism.release(scores, random));
  count_items(state);
}
BENCHMARK(top_ten)->Arg(1000)->Arg(1'000'000);

// Ten rounds with values, the sizes of a sparse vector: ten large, the others below one scale.
std::vector<double> sparse_vector_of(std::int64_t n) {
  auto vector = scores_of(n);
  for (double& x : vector) x /= 50.0;
  for (std::size_t j = 0; j < 10; ++j) vector[j] += 20.0;
  return vector;
}

void peeling(benchmark::State& state) {
  const auto vector = sparse_vector_of(state.range(0));
  const auto mechanism = idealized::PeelingMechanism::create(
                             {.coordinates = state.range(0), .rounds = 10, .scale = 1.0})
                             .value();
  auto random = selection_stream();
  for (auto _ : state) benchmark::DoNotOptimize(mechanism.release(vector, random));
  count_items(state);
}
BENCHMARK(peeling)->Arg(400)->Arg(10'000)->Arg(1'000'000);

// The definition: a fresh noise for every coordinate in every round.
void peeling_every_noise(benchmark::State& state) {
  auto vector = sparse_vector_of(state.range(0));
  const auto noise = Laplace::create(0.0, 1.0).value();
  std::vector<double> noisy(vector.size());
  auto random = selection_stream();
  for (auto _ : state) {
    auto sizes = vector;
    for (int round = 0; round < 10; ++round) {
      noise.fill(random, noisy);
      std::size_t best = 0;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        noisy[i] += sizes[i];
        if (noisy[i] > noisy[best]) best = i;
      }
      sizes[best] = -1e9;
    }
    benchmark::DoNotOptimize(sizes.data());
  }
  count_items(state);
}
BENCHMARK(peeling_every_noise)->Arg(400)->Arg(10'000)->Arg(1'000'000);

void distribution(benchmark::State& state) {
  const MaxNoiseDistribution distributions[] = {
      Laplace::create(0.0, 2.0).value(), Exponential::create(2.0).value(),
      Gumbel::create(0.0, 2.0).value(), Gaussian::create(0.0, 2.0).value(),
      DiscreteLaplace::create(2.0).value()};
  const auto scores = scores_of(state.range(0));
  const auto& noise = distributions[state.range(1)];
  for (auto _ : state) benchmark::DoNotOptimize(noisy_max_log_probabilities(noise, scores));
  count_items(state);
}
BENCHMARK(distribution)
    ->ArgNames({"n", "noise"})
    ->ArgsProduct({{10, 100, 1000}, {0, 1, 2, 3, 4}})
    ->Args({10'000, 2})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace assay
