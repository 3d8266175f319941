// Sparse linear contextual bandits: runs of FLIPHAT with their contexts drawn, and the exact loss of a peeling.
//
//     build/release/benchmarks/sparse_benchmark
//
// Runs have three arms, s = 10, s* = 5, and M_0 of the authors' code, at most one iteration an episode. Goals on
// one core: 1.5 s at d = 400, T = 20,000, under 200 MiB; 10 s at d = 4,000, T = 10,000; 5 ms for the loss of a
// peeling of 10 of 400 coordinates. `MiB` is the most that the process ever held: measure it with a filter.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cmath>
#include <vector>

#include "assay/auditors/sparse/figures/sparse_run.hpp"
#include "assay/auditors/sparse/sparse_pair.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/policies/sparse/contexts.hpp"

namespace assay {
namespace {

void fliphat_run(benchmark::State& state) {
  detail::SparseWorld world;
  world.dimension = state.range(0);
  const auto rule = state.range(2) == 0 ? IterationRule::kCode : IterationRule::kText;
  const detail::SparsePoint point{detail::SparseKind::kFliphat, 1.0, Calibration::kPaper, rule};
  const auto signal = detail::signal_of(world, 1).value();
  const auto config = detail::fliphat_config(world, point, signal, state.range(1)).value();
  const auto fresh = Fliphat::create(config).value();
  const auto contexts =
      GaussianContexts::create({.arms = world.arms, .dimension = world.dimension}, signal).value();
  std::uint64_t replicate = 0;
  for (auto _ : state) {
    auto policy = fresh;
    auto environment = contexts;
    ReplayStream choices({.seed = 1, .replicate = replicate, .lane = 0});
    ReplayStream luck({.seed = 1, .replicate = replicate++, .lane = 1});
    double missed = 0.0;
    play(policy, environment, state.range(1), choices, luck,
         [&](std::int64_t, int arm, double) { missed += environment.gap(arm); });
    benchmark::DoNotOptimize(missed);
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  state.counters["MiB"] = static_cast<double>(used.ru_maxrss) / 1024.0;
}
BENCHMARK(fliphat_run)
    ->ArgNames({"d", "T", "text"})
    ->Args({400, 20'000, 0})
    ->Args({4000, 10'000, 0})
    ->Args({400, 20'000, 1})
    ->Unit(benchmark::kMillisecond);

// All 400 coordinates differ; the noise is as large as they are, or a tenth of that.
void peeling_loss_10_of_400(benchmark::State& state) {
  constexpr std::int64_t kCoordinates = 400, kChosen = 10;
  ReplayStream random({.seed = 1});
  std::vector<double> one, other;
  for (std::int64_t j = 0; j < kCoordinates; ++j) {
    one.push_back(random.uniform() - 0.5);
    other.push_back(one.back() + 0.1 * (random.uniform() - 0.5));
  }
  const double scale = state.range(0) == 0 ? 0.5 : 0.05;
  const auto mechanism = idealized::PeelingMechanism::create({.epsilon = 1.0,
                                                              .delta = 0.01,
                                                              .coordinates = kCoordinates,
                                                              .rounds = kChosen,
                                                              .scale = scale})
                             .value();
  const auto released = mechanism.release(one, random);
  const auto noise = Laplace::create(0.0, scale).value();
  double loss = 0.0;
  for (auto _ : state) loss = peeling_loss(noise, released, one, other);
  state.counters["loss"] = loss;
}
BENCHMARK(peeling_loss_10_of_400)->ArgName("small")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
