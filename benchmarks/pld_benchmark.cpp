// Privacy-loss distributions: cmake --preset release -DASSAY_BUILD_BENCHMARKS=ON, then
//   build/release/benchmarks/pld_benchmark
// Goal: eps at delta = 1e-5 between bounds 1e-4 apart within 50 ms at 10,000 compositions and 0.5 s
// at 1,000,000, and delta = 1e-10 to a thousandth. The counters are what was certified: `width` of
// the interval, `contains_truth` where a closed form knows it (1 or 0; -1 where none does), and
// `peak_MiB`, the most that one composition holds on the heap at a time.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"

namespace {

// One thread: plain counters of the bytes that operator new has handed out.
std::size_t held = 0, most_held = 0;

void* take(std::size_t bytes) {
  void* block = std::malloc(std::max<std::size_t>(bytes, 1));
  if (block == nullptr) throw std::bad_alloc();
  held += malloc_usable_size(block);
  most_held = std::max(most_held, held);
  return block;
}

void give_back(void* block) {
  held -= malloc_usable_size(block);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return take(bytes); }
void operator delete(void* block) noexcept { give_back(block); }
void operator delete(void* block, std::size_t) noexcept { give_back(block); }

namespace assay {
namespace {

void report(benchmark::State& state, const PrivacyLoss& distribution, std::int64_t count,
            double truth) {
  const std::vector<PldTerm> terms{{distribution, count}};
  Interval<Epsilon> eps;
  const std::size_t held_before = held;
  most_held = held;
  for (auto _ : state) {
    const auto result = pld_epsilon(terms, Delta{1e-5});
    if (!result) {
      state.SkipWithError(result.error().to_string().c_str());
      return;
    }
    eps = *result;
  }
  state.counters["peak_MiB"] = static_cast<double>(most_held - held_before) / 0x1p20;
  const double low = eps.lower.value.value, high = eps.upper.value.value;
  state.counters["lower"] = low;
  state.counters["upper"] = high;
  state.counters["width"] = high - low;
  state.counters["contains_truth"] = truth < 0.0 ? -1.0 : low <= truth && truth <= high ? 1.0 : 0.0;
}

// Gaussian noise of total mu = 10 at 1e4 compositions of sigma = 10, 20 at 1e6 of sigma = 50.
void gaussian(benchmark::State& state) {
  const auto sigma = static_cast<double>(state.range(0));
  const double mu = std::sqrt(static_cast<double>(state.range(1))) / sigma;
  report(state, *loss_of::gaussian(sigma), state.range(1), gdp_epsilon(Mu{mu}, Delta{1e-5}).value);
}
BENCHMARK(gaussian)
    ->ArgNames({"sigma", "compositions"})
    ->Args({1, 1})
    ->Args({10, 100})
    ->Args({10, 10000})
    ->Args({50, 1000000})
    ->Unit(benchmark::kMillisecond);

void laplace(benchmark::State& state) {
  report(state, *loss_of::laplace(static_cast<double>(state.range(0))), state.range(1), -1.0);
}
BENCHMARK(laplace)
    ->ArgNames({"scale", "compositions"})
    ->Args({1, 1})
    ->Args({10, 100})
    ->Args({100, 10000})
    ->Args({1000, 1000000})
    ->Unit(benchmark::kMillisecond);

void subsampled_gaussian(benchmark::State& state) {
  const auto direction = state.range(0) == 0 ? SamplingDirection::kRemove : SamplingDirection::kAdd;
  report(state, *loss_of::subsampled_gaussian(1.0, 0.01, direction), state.range(1), -1.0);
}
BENCHMARK(subsampled_gaussian)
    ->ArgNames({"add", "compositions"})
    ->ArgsProduct({{0, 1}, {1, 100, 10000, 1000000}})
    ->Unit(benchmark::kMillisecond);

void gaussian_small_delta(benchmark::State& state) {
  const auto sigma = static_cast<double>(state.range(0));
  const Mu mu{std::sqrt(static_cast<double>(state.range(1))) / sigma};
  const Epsilon eps = gdp_epsilon(mu, Delta{1e-10});
  const std::vector<PldTerm> terms{{*loss_of::gaussian(sigma), state.range(1)}};
  Interval<Delta> delta;
  for (auto _ : state) delta = *pld_delta(terms, eps);
  const double low = delta.lower.value.value, high = delta.upper.value.value;
  const double truth = gdp_delta(mu, eps).value;
  state.counters["relative_width"] = high / low - 1.0;
  state.counters["contains_truth"] = low <= truth && truth <= high ? 1.0 : 0.0;
}
BENCHMARK(gaussian_small_delta)
    ->ArgNames({"sigma", "compositions"})
    ->Args({10, 10000})
    ->Args({50, 1000000})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
