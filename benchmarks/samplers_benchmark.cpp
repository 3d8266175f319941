// Samplers side by side, one core: ours from the replay and the secure source, std:: and Boost.Random
// over std::mt19937_64, and NumPy's Generator where python3-numpy is installed.
//
//     build/release/benchmarks/samplers_benchmark --benchmark_repetitions=3
//     --benchmark_report_aggregates_only=true
//
// items_per_second counts draws; take the median. NumPy's figures are the last lines, on standard
// error, from benchmarks/compare/numpy_samplers.py. The Laplace target: at least 4 times a sign and
// std::exponential_distribution<double>(std::mt19937_64), in the same x86-64 baseline build.
#include <benchmark/benchmark.h>

#include <boost/random/exponential_distribution.hpp>
#include <boost/random/extreme_value_distribution.hpp>
#include <boost/random/geometric_distribution.hpp>
#include <boost/random/laplace_distribution.hpp>
#include <boost/random/normal_distribution.hpp>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "assay/mechanisms/noise/exact_discrete_gaussian.hpp"
#include "assay/mechanisms/noise/exact_discrete_laplace.hpp"
#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/random/secure_stream.hpp"

namespace assay {
namespace {

constexpr std::size_t kDrawsOfASampler = 4096;
constexpr double kScale = 10.0;

ReplayStream replay() {
  return ReplayStream({1, hash_purpose("benchmark"), 0, 0, Phase::kCertify});
}
SecureStream secure() { return SecureStream::create().value(); }

template <class T, class Make>
void measure(benchmark::State& state, Make make) {
  std::vector<T> out(kDrawsOfASampler);
  for (auto _ : state) {
    make(std::span<T>(out));
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kDrawsOfASampler));
}

template <class R>
void words(benchmark::State& state, R random) {
  measure<std::uint64_t>(state, [&](std::span<std::uint64_t> out) { fill_words(random, out); });
}

template <class Noise, class R>
void filled(benchmark::State& state, const Noise& noise, R random) {
  measure<double>(state, [&](std::span<double> out) { noise.fill(random, out); });
}

template <class Noise, class R>
void integers(benchmark::State& state, const Noise& noise, R random) {
  measure<std::int64_t>(state, [&](std::span<std::int64_t> out) {
    for (auto& x : out) x = noise.sample(random);
  });
}

template <class Distribution>
void mersenne(benchmark::State& state, Distribution distribution) {
  std::mt19937_64 random(1);
  measure<double>(state, [&](std::span<double> out) {
    for (auto& x : out) x = static_cast<double>(distribution(random));
  });
}

// A sign and an exponential: std has no Laplace distribution.
struct StdLaplace {
  std::exponential_distribution<double> size{1.0 / kScale};
  double operator()(std::mt19937_64& random) {
    const double x = size(random);
    return (random() >> 63) != 0 ? -x : x;
  }
};

// The difference of two geometrics.
template <class Geometric>
struct TwoSided {
  Geometric size{1.0 - std::exp(-1.0 / kScale)};
  std::int64_t operator()(std::mt19937_64& random) {
    const std::int64_t x = size(random);
    return x - size(random);
  }
};

BENCHMARK_CAPTURE(words, replay, replay());
void words_secure(benchmark::State& s) { words(s, secure()); }
BENCHMARK(words_secure);

void gaussian_replay(benchmark::State& s) { filled(s, *Gaussian::create(0, kScale), replay()); }
void gaussian_secure(benchmark::State& s) { filled(s, *Gaussian::create(0, kScale), secure()); }
BENCHMARK(gaussian_replay);
BENCHMARK(gaussian_secure);
BENCHMARK_CAPTURE(mersenne, gaussian_std, std::normal_distribution<double>(0, kScale));
BENCHMARK_CAPTURE(mersenne, gaussian_boost, boost::random::normal_distribution<double>(0, kScale));

void laplace_replay(benchmark::State& s) { filled(s, *Laplace::create(0, kScale), replay()); }
void laplace_secure(benchmark::State& s) { filled(s, *Laplace::create(0, kScale), secure()); }
BENCHMARK(laplace_replay);
BENCHMARK(laplace_secure);
BENCHMARK_CAPTURE(mersenne, laplace_std, StdLaplace());
BENCHMARK_CAPTURE(mersenne, laplace_boost, boost::random::laplace_distribution<double>(0, kScale));

void exponential_replay(benchmark::State& s) { filled(s, *Exponential::create(kScale), replay()); }
void exponential_secure(benchmark::State& s) { filled(s, *Exponential::create(kScale), secure()); }
BENCHMARK(exponential_replay);
BENCHMARK(exponential_secure);
BENCHMARK_CAPTURE(mersenne, exponential_std, std::exponential_distribution<double>(1 / kScale));
BENCHMARK_CAPTURE(mersenne, exponential_boost,
                  boost::random::exponential_distribution<double>(1 / kScale));

void gumbel_replay(benchmark::State& s) { filled(s, *Gumbel::create(0, kScale), replay()); }
void gumbel_secure(benchmark::State& s) { filled(s, *Gumbel::create(0, kScale), secure()); }
BENCHMARK(gumbel_replay);
BENCHMARK(gumbel_secure);
BENCHMARK_CAPTURE(mersenne, gumbel_std, std::extreme_value_distribution<double>(0, kScale));
BENCHMARK_CAPTURE(mersenne, gumbel_boost,
                  boost::random::extreme_value_distribution<double>(0, kScale));

void discrete_laplace_fast(benchmark::State& s) {
  integers(s, *DiscreteLaplace::create(kScale), replay());
}
void discrete_laplace_exact(benchmark::State& s) {
  integers(s, *ExactDiscreteLaplace::create(kScale), replay());
}
void discrete_laplace_exact_secure(benchmark::State& s) {
  integers(s, *ExactDiscreteLaplace::create(kScale), secure());
}
BENCHMARK(discrete_laplace_fast);
BENCHMARK(discrete_laplace_exact);
BENCHMARK(discrete_laplace_exact_secure);
BENCHMARK_CAPTURE(mersenne, discrete_laplace_std,
                  TwoSided<std::geometric_distribution<std::int64_t>>());
BENCHMARK_CAPTURE(mersenne, discrete_laplace_boost,
                  TwoSided<boost::random::geometric_distribution<std::int64_t>>());

// std, Boost and NumPy have no discrete Gaussian.
void discrete_gaussian_fast(benchmark::State& s) {
  integers(s, *DiscreteGaussian::create(kScale), replay());
}
void discrete_gaussian_exact(benchmark::State& s) {
  integers(s, *ExactDiscreteGaussian::at_least(kScale), replay());
}
void discrete_gaussian_exact_secure(benchmark::State& s) {
  integers(s, *ExactDiscreteGaussian::at_least(kScale), secure());
}
BENCHMARK(discrete_gaussian_fast);
BENCHMARK(discrete_gaussian_exact);
BENCHMARK(discrete_gaussian_exact_secure);

// After the others: not a benchmark of this process, so its own clock counts.
void numpy_generator(benchmark::State& state) {
  const char* command =
      "/usr/bin/python3 " ASSAY_SOURCE_DIR "/benchmarks/compare/numpy_samplers.py 1>&2";
  std::fflush(nullptr);
  for (auto _ : state) {
    if (std::system(command) != 0) state.SkipWithError("skipped: python3 did not run");
  }
}
BENCHMARK(numpy_generator)->Iterations(1)->Repetitions(1);

}  // namespace
}  // namespace assay
