// Cost of random words, of the samplers and of the functions they rest on.
//
//     build/benchmarks/noise_benchmark --benchmark_repetitions=9
//     --benchmark_report_aggregates_only=true
//
// items_per_second counts draws (or calls); take the median. The Gaussian target: at
// least 4 times std::normal_distribution<double>(std::mt19937_64), measured here beside
// it, and beside a loop over xoshiro256++ with a ziggurat (which is neither addressable
// by counter nor monotone in its words).
#include <benchmark/benchmark.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

constexpr std::size_t kDraws = 4096;

StreamId stream_id() { return {1, hash_purpose("benchmark"), 0, 0, Phase::kCertify}; }

void count(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kDraws));
}

// Blackman and Vigna's xoshiro256++ 1.0.
class Xoshiro {
 public:
  explicit Xoshiro(std::uint64_t seed) {
    for (auto& word : state_) word = philox4x64({seed++, 0, 0, 0}, {0, 0})[0];
  }
  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  double uniform() { return (static_cast<double>(next() >> 12) + 0.5) * 0x1p-52; }

 private:
  std::array<std::uint64_t, 4> state_{};
};

// Marsaglia and Tsang's ziggurat with 256 layers of equal area under exp(-x^2/2).
class Ziggurat {
 public:
  Ziggurat() {
    const double area = kEdge * std::exp(-0.5 * kEdge * kEdge) +
                        std::sqrt(std::numbers::pi / 2) * std::erfc(kEdge / std::sqrt(2.0));
    x_[0] = area / std::exp(-0.5 * kEdge * kEdge);
    x_[1] = kEdge;
    for (std::size_t i = 2; i < 256; ++i) {
      const double height = std::exp(-0.5 * x_[i - 1] * x_[i - 1]) + area / x_[i - 1];
      x_[i] = std::sqrt(-2.0 * std::log(height));
    }
    x_[256] = 0.0;
    for (std::size_t i = 0; i < 257; ++i) height_[i] = std::exp(-0.5 * x_[i] * x_[i]);
  }

  double operator()(Xoshiro& random) const {
    for (;;) {
      const std::uint64_t word = random.next();
      const std::size_t layer = word & 255;
      const double u = static_cast<double>(static_cast<std::int64_t>(word) >> 11) * 0x1p-52;
      const double x = u * x_[layer];
      if (std::abs(x) < x_[layer + 1]) return x;
      if (layer == 0) return std::copysign(tail(random), x);
      const double y = height_[layer] + random.uniform() * (height_[layer + 1] - height_[layer]);
      if (y < std::exp(-0.5 * x * x)) return x;
    }
  }

 private:
  static constexpr double kEdge = 3.6541528853610088;

  static double tail(Xoshiro& random) {
    for (;;) {
      const double x = -std::log(random.uniform()) / kEdge;
      if (-2.0 * std::log(random.uniform()) > x * x) return kEdge + x;
    }
  }

  std::array<double, 257> x_{};
  std::array<double, 257> height_{};
};

void replay_stream_words(benchmark::State& state) {
  ReplayStream random(stream_id());
  std::vector<std::uint64_t> words(kDraws);
  for (auto _ : state) {
    for (auto& word : words) word = random.next();
    benchmark::DoNotOptimize(words.data());
    benchmark::ClobberMemory();
  }
  count(state);
}
BENCHMARK(replay_stream_words);

void std_normal_distribution_mt19937_64(benchmark::State& state) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> out(kDraws);
  for (auto _ : state) {
    for (auto& x : out) x = normal(random);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  count(state);
}
BENCHMARK(std_normal_distribution_mt19937_64);

void ziggurat_xoshiro(benchmark::State& state) {
  Xoshiro random(1);
  const Ziggurat normal;
  std::vector<double> out(kDraws);
  for (auto _ : state) {
    for (auto& x : out) x = normal(random);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  count(state);
}
BENCHMARK(ziggurat_xoshiro);

template <class Distribution>
void fill(benchmark::State& state, const Distribution& distribution) {
  ReplayStream random(stream_id());
  std::vector<double> out(kDraws);
  for (auto _ : state) {
    distribution.fill(random, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  count(state);
}

void gaussian_fill(benchmark::State& state) { fill(state, *Gaussian::create(0.5, 2.0)); }
void laplace_fill(benchmark::State& state) { fill(state, *Laplace::create(0.5, 2.0)); }
void gumbel_fill(benchmark::State& state) { fill(state, *Gumbel::create(0.5, 2.0)); }
void exponential_fill(benchmark::State& state) { fill(state, *Exponential::create(2.0)); }
BENCHMARK(gaussian_fill);

void gaussian_fill_baseline(benchmark::State& state) {
  std::vector<double> out(kDraws);
  std::uint64_t block = 0;
  for (auto _ : state) {
    detail::fill_gaussian_blocks_baseline({block, 0, 0, 0}, {1, 2}, 0.5, 2.0, out);
    block += kDraws / 4;
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  count(state);
}
BENCHMARK(gaussian_fill_baseline);

void gaussian_sample(benchmark::State& state) {
  ReplayStream random(stream_id());
  const auto gaussian = *Gaussian::create(0.5, 2.0);
  std::vector<double> out(kDraws);
  for (auto _ : state) {
    for (auto& x : out) x = gaussian.sample(random);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  count(state);
}
BENCHMARK(gaussian_sample);
BENCHMARK(laplace_fill);
BENCHMARK(gumbel_fill);
BENCHMARK(exponential_fill);

void gaussian_bracket(benchmark::State& state) {
  ReplayStream random(stream_id());
  std::vector<std::uint64_t> words(kDraws / 4);
  for (auto& word : words) word = random.next();
  const auto& brackets = gaussian_brackets();
  for (auto _ : state) {
    float sum = 0.0f;
    for (const auto word : words) {
      for (int shift = 0; shift < 64; shift += 16) {
        sum += brackets(static_cast<std::uint16_t>(word >> shift)).low;
      }
    }
    benchmark::DoNotOptimize(sum);
  }
  count(state);
}
BENCHMARK(gaussian_bracket);

// Calls with arguments spread over [low, high].
void calls(benchmark::State& state, double (*function)(double), double low, double high) {
  ReplayStream random(stream_id());
  std::vector<double> arguments(kDraws);
  for (auto& x : arguments) x = low + (high - low) * random.uniform();
  for (auto _ : state) {
    double sum = 0.0;
    for (const double x : arguments) sum += function(x);
    benchmark::DoNotOptimize(sum);
  }
  count(state);
}
BENCHMARK_CAPTURE(calls, portable_exp, portable_exp, -20.0, 20.0);
BENCHMARK_CAPTURE(calls, portable_log, portable_log, 0.0, 10.0);
BENCHMARK_CAPTURE(calls, portable_log1p, portable_log1p, -0.5, 5.0);
BENCHMARK_CAPTURE(calls, portable_expm1, portable_expm1, -2.0, 2.0);
BENCHMARK_CAPTURE(calls, normal_cdf, normal_cdf, -5.0, 5.0);
BENCHMARK_CAPTURE(calls, normal_log_cdf, normal_log_cdf, -8.0, 5.0);
BENCHMARK_CAPTURE(calls, normal_quantile, normal_quantile, 0.0, 1.0);

}  // namespace
}  // namespace assay
