// Cost of samples of the detection table, row by row, and of integer noise.
//
//     build/benchmarks/mechanisms_benchmark --benchmark_repetitions=9
//     --benchmark_report_aggregates_only=true
//
// items_per_second counts releases (or draws); take the median.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "assay/mechanisms/faulty/detection_table.hpp"
#include "assay/mechanisms/noise/discrete_gaussian.hpp"
#include "assay/mechanisms/noise/discrete_laplace.hpp"

namespace assay {
namespace {

constexpr std::size_t kReleases = 1000;

void sample_row(benchmark::State& state, const faulty::DetectionRow& row) {
  ReplayStream random({1, hash_purpose("benchmark"), 0, 0, Phase::kCertify});
  std::vector<double> out(kReleases * row.output_size);
  for (auto _ : state) {
    row.sample(0, random, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kReleases));
}

template <class Noise>
void sample_noise(benchmark::State& state, const Noise& noise) {
  ReplayStream random({1, hash_purpose("benchmark"), 0, 0, Phase::kCertify});
  for (auto _ : state) benchmark::DoNotOptimize(noise.sample(random));
  state.SetItemsProcessed(state.iterations());
}

const bool kRegisteredMechanisms = [] {
  for (const auto& row : faulty::detection_table()) {
    benchmark::RegisterBenchmark(("detection/" + row.name).c_str(),
                                 [row](benchmark::State& state) { sample_row(state, row); });
  }
  benchmark::RegisterBenchmark("noise/discrete-laplace", [](benchmark::State& state) {
    sample_noise(state, DiscreteLaplace::create(10.0).value());
  });
  benchmark::RegisterBenchmark("noise/discrete-gaussian", [](benchmark::State& state) {
    sample_noise(state, DiscreteGaussian::create(10.0).value());
  });
  return true;
}();

}  // namespace
}  // namespace assay
