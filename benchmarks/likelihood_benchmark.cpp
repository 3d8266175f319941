// Likelihood audits: transcripts with their exact losses on both sides, and how they scale.
//
//   build/bench/benchmarks/likelihood_benchmark
//
// What bounds it: the quadrature of the played action's probability on both sides (about nine
// tenths of the time at N = 5); sampling theta and updating the two states are the rest.
#include <benchmark/benchmark.h>

#include <memory>

#include "assay/auditors/bandits/thompson_pair.hpp"
#include "assay/auditors/methods/losses.hpp"

namespace assay {
namespace {

ThompsonPair<> changed_first_reward(std::int64_t arms, std::int64_t horizon) {
  ModifiedThompsonSamplingConfig config;
  config.arms = arms;
  config.horizon = horizon;
  // Alternating rewards keep the arms close, which is where probabilities cost the most.
  std::vector<double> stream(static_cast<std::size_t>(horizon), 0.0);
  for (std::size_t t = 1; t < stream.size(); t += 2) stream[t] = 1.0;
  return ThompsonPair<>(ModifiedThompsonSampling::create(config).value(),
                        std::make_shared<const InputPair>(
                            InputPair::of(InputTable::column(std::move(stream)), {0, {1.0}})));
}

// Goal: 5,000 transcripts a second and core at N = 5, T = 100; 3 ms each at T = 1000.
void BM_TranscriptsWithExactLoss(benchmark::State& state) {
  const auto fresh = changed_first_reward(state.range(0), state.range(1));
  const RunControl control;
  LossBatch batch{1, hash_purpose("benchmark"), Phase::kPilot, 0, kLossChunk};
  for (auto _ : state) {
    benchmark::DoNotOptimize(sample_losses(fresh, Side::kBase, batch, control, "benchmark"));
    batch.first += batch.count;
  }
  state.SetItemsProcessed(state.iterations() * batch.count);
}
BENCHMARK(BM_TranscriptsWithExactLoss)
    ->ArgNames({"arms", "horizon"})
    ->Args({2, 100})
    ->Args({5, 100})
    ->Args({5, 1000})
    ->Args({10, 100})
    ->Unit(benchmark::kMillisecond);

// The part that draws actions and updates states, without any probability.
void BM_TranscriptsWithoutLoss(benchmark::State& state) {
  auto process = changed_first_reward(state.range(0), state.range(1));
  std::uint64_t replicate = 0;
  for (auto _ : state) {
    ReplayStream random({1, 2, replicate++, 0, Phase::kPilot});
    process.restart();
    while (process.round() < process.horizon()) process.advance(process.draw(Side::kBase, random));
    benchmark::DoNotOptimize(process);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_TranscriptsWithoutLoss)->ArgNames({"arms", "horizon"})->Args({5, 100});

// Goal: two threads at least 1.9 times one (real time), with the same losses out.
void BM_Threads(benchmark::State& state) {
  const auto fresh = changed_first_reward(5, 100);
  RunControl control;
  control.threads = static_cast<int>(state.range(0));
  const LossBatch batch{1, hash_purpose("benchmark"), Phase::kPilot, 0, 32 * kLossChunk};
  for (auto _ : state) {
    benchmark::DoNotOptimize(sample_losses(fresh, Side::kBase, batch, control, "benchmark"));
  }
  state.SetItemsProcessed(state.iterations() * batch.count);
}
BENCHMARK(BM_Threads)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
