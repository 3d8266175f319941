// Dueling bandits: rounds of DP-EBS-Elimination and of the references, and a G-optimal design.
//
//     build/release/benchmarks/dueling_benchmark
//
// Plays of 1,000,000 rounds with 10 arms, their duels drawn too: of equal arms, of which none ever
// leaves, and of scores 0, 1/9, .., 1. Goals on one core: 10 million duels a second for
// DP-EBS-Elimination, 20 million without noise, 2 s for a design over 5,000 differences, 20,000
// plays with their exact loss of 1,000 rounds with 5 arms.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "assay/auditors/dueling/dueling_pair.hpp"
#include "assay/policies/dueling/double_thompson_sampling.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/duels.hpp"
#include "assay/policies/dueling/ebs_elimination.hpp"
#include "assay/policies/dueling/gopt_dpdb.hpp"
#include "assay/policies/dueling/rmed1.hpp"
#include "assay/policies/dueling/rucb.hpp"
#include "assay/policies/simulation/play.hpp"

namespace assay {
namespace {

constexpr std::int64_t kArms = 10;
constexpr std::int64_t kRounds = 1'000'000;

template <class P>
void duels(benchmark::State& state) {
  typename P::Config config;
  config.arms = kArms;
  if constexpr (requires { config.horizon; }) config.horizon = kRounds;
  const auto fresh = P::create(config).value();
  std::vector<double> scores(kArms, 0.0);
  if (state.range(0) == 1) {
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = static_cast<double>(i) / 9.0;
  }
  const auto rivals = PreferenceDuels::create(preferences_of_scores(scores).value()).value();
  std::uint64_t replicate = 0;
  for (auto _ : state) {
    auto policy = fresh;
    ReplayStream choices({.seed = 1, .replicate = replicate, .lane = 0});
    ReplayStream luck({.seed = 1, .replicate = replicate++, .lane = 1});
    std::int64_t won = 0;
    play(policy, rivals, kRounds, choices, luck,
         [&](std::int64_t, const Duel&, bool first) { won += first ? 1 : 0; });
    benchmark::DoNotOptimize(won);
  }
  state.SetItemsProcessed(state.iterations() * kRounds);
}
void duel_policies(benchmark::internal::Benchmark* b) {
  b->ArgName("scores")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
}
BENCHMARK(duels<DpEbsElimination>)->Apply(duel_policies);
BENCHMARK(duels<EbsElimination>)->Apply(duel_policies);
BENCHMARK(duels<LocalEbsElimination>)->Apply(duel_policies);
BENCHMARK(duels<Rucb>)->Apply(duel_policies);
BENCHMARK(duels<Rmed1>)->Apply(duel_policies);
BENCHMARK(duels<DoubleThompsonSampling>)->Apply(duel_policies);

// Items: plays of DP-EBS-Elimination with the exact loss of what they release.
void released_plays(benchmark::State& state) {
  constexpr std::int64_t kFew = 5, kShort = 1000;
  const auto policy = DpEbsElimination::create({.arms = kFew, .horizon = kShort}).value();
  InputTable base = InputTable::zeros(kShort, kFew * kFew);
  for (std::int64_t t = 0; t < kShort; ++t) {
    for (std::size_t i = 0; i < kFew; ++i) {
      for (std::size_t j = i + 1; j < kFew; ++j) base.row(t)[i * kFew + j] = 1.0;
    }
  }
  Edit edit{0, std::vector<double>(kFew * kFew, 0.0)};
  for (std::size_t i = 0; i < kFew; ++i) {
    for (std::size_t j = 0; j < i; ++j) edit.values[i * kFew + j] = 1.0;
  }
  const auto release = dueling_release(policy, InputPair::of(std::move(base), edit)).value();
  std::uint64_t lane = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(release->sample(lane % 2 == 0 ? Side::kBase : Side::kNeighbour,
                                             ReplayStream({.lane = lane})));
    ++lane;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(released_plays)->Unit(benchmark::kMicrosecond);

// All differences of 101 items, 5,050 in 10 dimensions, to a relative gap of 1e-6.
void g_optimal_differences(benchmark::State& state) {
  constexpr std::int64_t kItems = 101, kDimension = 10;
  const auto features =
      generated_features(static_cast<FeatureKind>(state.range(0)), kItems, kDimension, 1).value();
  std::vector<int> items(kItems);
  std::iota(items.begin(), items.end(), 0);
  double gap = 0.0;
  for (auto _ : state) {
    const DuelPlan plan = detail::duel_plan(features, items, 1'000'000);
    gap = plan.gap;
    benchmark::DoNotOptimize(plan.pulls.data());
  }
  state.counters["gap"] = gap;
}
BENCHMARK(g_optimal_differences)
    ->ArgName("features")
    ->Arg(static_cast<int>(FeatureKind::kSphere))
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
