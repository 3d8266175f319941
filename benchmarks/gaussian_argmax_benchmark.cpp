// Cost of the Gaussian argmax probability on the states that Thompson sampling visits.
//
//     build/benchmarks/gaussian_argmax_benchmark
//
// One iteration handles one round of a simulated transcript: both sides of a pair whose arm of the
// first round differs by one reward. Counters: time per call.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/mechanisms/noisy_max/gaussian_argmax.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

struct State {
  std::vector<double> means;
  std::vector<double> scales;
  int changed;
  double changed_mean;
  int played;
};

// Rounds of several transcripts of Thompson sampling on Bernoulli arms of means 0.75, ..., 0.25.
std::vector<State> thompson_states(int horizon, int arms, int transcripts) {
  std::vector<State> states;
  for (int transcript = 0; transcript < transcripts; ++transcript) {
    ReplayStream rng(StreamId{.seed = 1, .replicate = static_cast<std::uint64_t>(transcript)});
    const auto size = static_cast<std::size_t>(arms);
    std::vector<double> pulls(size, 0.0);
    std::vector<double> rewards(size, 0.0);
    int first = -1;
    for (int round = 0; round < horizon; ++round) {
      State state{std::vector<double>(size), std::vector<double>(size), 0, 0.0, 0};
      double best = 0.0;
      for (std::size_t j = 0; j < size; ++j) {
        state.means[j] = rewards[j] / (pulls[j] + 1.0);
        state.scales[j] = 1.0 / std::sqrt(pulls[j] + 1.0);
        const double theta = state.means[j] + state.scales[j] * normal_quantile(rng.uniform());
        if (j == 0 || theta > best) {
          best = theta;
          state.played = static_cast<int>(j);
        }
      }
      const auto k = static_cast<std::size_t>(state.played);
      if (first < 0) first = state.played;
      const auto c = static_cast<std::size_t>(first);
      state.changed = first;
      state.changed_mean = state.means[c] + (pulls[c] > 0.0 ? 1.0 / (pulls[c] + 1.0) : 0.0);
      if (round > 0) states.push_back(state);
      const double mean = 0.75 - 0.5 * static_cast<double>(k) / (static_cast<double>(arms) - 1.0);
      pulls[k] += 1.0;
      rewards[k] += rng.uniform() < mean ? 1.0 : 0.0;
    }
  }
  return states;
}

// Arguments: horizon, arms, precision (0 sampling, 1 exact).
std::vector<State> states_of(const benchmark::State& bench) {
  const auto horizon = static_cast<int>(bench.range(0));
  return thompson_states(horizon, static_cast<int>(bench.range(1)), 3000 / horizon + 1);
}

ArgmaxPrecision precision_of(const benchmark::State& bench) {
  return bench.range(2) == 0 ? ArgmaxPrecision::kSampling : ArgmaxPrecision::kExact;
}

void pair_call(benchmark::State& bench) {
  const auto states = states_of(bench);
  const auto precision = precision_of(bench);
  std::size_t i = 0;
  for (auto _ : bench) {
    const State& s = states[i];
    benchmark::DoNotOptimize(log_argmax_probability_pair(s.means, s.scales, s.changed,
                                                         s.changed_mean, s.played, precision));
    if (++i == states.size()) i = 0;
  }
}

void all_arms_pair_call(benchmark::State& bench) {
  const auto states = states_of(bench);
  const auto precision = precision_of(bench);
  std::vector<double> p(states[0].means.size());
  std::vector<double> q(states[0].means.size());
  std::size_t i = 0;
  for (auto _ : bench) {
    const State& s = states[i];
    log_argmax_probabilities_pair(s.means, s.scales, s.changed, s.changed_mean, precision, p, q);
    benchmark::DoNotOptimize(p.data());
    benchmark::DoNotOptimize(q.data());
    if (++i == states.size()) i = 0;
  }
}

void arguments(benchmark::internal::Benchmark* bench) {
  for (const int precision : {0, 1}) {
    bench->Args({100, 5, precision});
    bench->Args({1000, 5, precision});
    bench->Args({1000, 2, precision});
    bench->Args({1000, 10, precision});
  }
}

BENCHMARK(pair_call)->Apply(arguments);
BENCHMARK(all_arms_pair_call)->Apply(arguments);

}  // namespace
}  // namespace assay
