// Simulating and auditing policies with full information.
//
//   cmake --preset release -DASSAY_BUILD_BENCHMARKS=ON && cmake --build build/release
//   build/release/benchmarks/experts_benchmark
//
// Goals on one core: K = 100, T = 2^20 at 500 million expert-rounds a second; the exact audit at
// K = 100 in 1 s. An item is one expert in one round.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "assay/auditors/experts/figures/experts_figures.hpp"
#include "assay/auditors/experts/ftnl_case.hpp"
#include "assay/mechanisms/random/binomial_count.hpp"
#include "assay/policies/environments/stochastic_losses.hpp"
#include "assay/policies/experts/follow_the_leader.hpp"
#include "assay/policies/experts/ftnl_distribution.hpp"
#include "assay/policies/experts/hedge.hpp"
#include "assay/policies/experts/random_prefix.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"
#include "assay/policies/simulation/play.hpp"

namespace assay {
namespace {

template <Policy P>
void simulate(benchmark::State& state, const P& fresh, std::int64_t horizon) {
  StochasticLosses losses(
      detail::instance_losses(detail::ExpertsInstance::kOneGap, fresh.config().actions, 0.1));
  std::uint64_t replicate = 0;
  for (auto _ : state) {
    P policy = fresh;
    ReplayStream choices({.seed = 1, .replicate = replicate, .lane = 0});
    ReplayStream luck({.seed = 1, .replicate = replicate++, .lane = 1});
    double regret = 0.0;
    play(policy, losses, horizon, choices, luck,
         [&](std::int64_t, int action, const auto& feedback) {
           regret += static_cast<double>(rounds_of(feedback)) * losses.gap(action);
         });
    benchmark::DoNotOptimize(regret);
  }
  state.SetItemsProcessed(state.iterations() * horizon * fresh.config().actions);
}

void BM_RnmFtnl(benchmark::State& state) {
  RnmFtnlConfig config;
  config.actions = state.range(0);
  config.horizon = state.range(1);
  config.noise = LeaderNoise::kGumbel;
  config.resample = state.range(2) != 0;
  simulate(state, RnmFtnl::create(config).value(), config.horizon);
}

void BM_RandomPrefix(benchmark::State& state) {
  RandomPrefixConfig config;
  config.actions = state.range(0);
  config.horizon = state.range(1);
  simulate(state, RandomPrefix::create(config).value(), config.horizon);
}

void BM_FollowTheLeader(benchmark::State& state) {
  simulate(state, FollowTheLeader::create({state.range(0)}).value(), state.range(1));
}

void BM_Hedge(benchmark::State& state) {
  HedgeConfig config;
  config.actions = state.range(0);
  config.horizon = state.range(1);
  simulate(state, Hedge::create(config).value(), config.horizon);
}

// What one would write first: every loss of every expert, drawn by the standard library.
void BM_PlainLoop(benchmark::State& state) {
  const auto actions = static_cast<std::size_t>(state.range(0));
  std::mt19937_64 engine(1);
  std::bernoulli_distribution best(0.45);
  std::bernoulli_distribution other(0.55);
  std::extreme_value_distribution<double> gumbel(0.0, 2.0);
  for (auto _ : state) {
    std::size_t leader = 0;
    std::vector<double> sums(actions, 0.0);
    double regret = 0.0;
    for (std::int64_t t = 1; t <= state.range(1); ++t) {
      if (t > 1 && (t & (t - 1)) == 0) {
        double most = -1e300;
        for (std::size_t j = 0; j < actions; ++j) {
          const double score = gumbel(engine) - sums[j];
          if (score > most) most = score, leader = j;
        }
        std::fill(sums.begin(), sums.end(), 0.0);
      }
      regret += leader == 0 ? 0.0 : 0.1;
      for (std::size_t j = 0; j < actions; ++j) sums[j] += j == 0 ? best(engine) : other(engine);
    }
    benchmark::DoNotOptimize(regret);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * state.range(1));
}

void BM_BinomialCount(benchmark::State& state) {
  ReplayStream random({.seed = 1});
  const std::uint64_t threshold = probability_threshold(0.55);
  for (auto _ : state) benchmark::DoNotOptimize(binomial_count(random, state.range(0), threshold));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

// The whole audit, search and report included.
void audit(benchmark::State& state, const char* claim, LeaderNoise noise) {
  AuditRequest request;
  request.parameters = {{"actions", std::to_string(state.range(0))},
                        {"horizon", "1000"},
                        {"noise", detail::value_text(noise)}};
  request.claim = claim;
  for (auto _ : state) benchmark::DoNotOptimize(FtnlCase().run(request, {}).value());
}
void BM_AuditPure(benchmark::State& state) { audit(state, "eps=1", LeaderNoise::kLaplace); }
void BM_AuditDelta(benchmark::State& state) {
  audit(state, "eps=0.5,delta=1e-3", LeaderNoise::kLaplace);
}

// The law of one draw of experts that all differ.
void BM_LeaderDistribution(benchmark::State& state) {
  RnmFtnlConfig config;
  config.actions = state.range(0);
  config.horizon = 1000;
  config.noise = state.range(1) == 0   ? LeaderNoise::kLaplace
                 : state.range(1) == 1 ? LeaderNoise::kExponential
                                       : LeaderNoise::kGumbel;
  FtnlDistribution distribution(RnmFtnl::create(config).value());
  std::vector<double> row;
  for (std::int64_t j = 0; j < config.actions; ++j) {
    row.push_back(static_cast<double>(j) / static_cast<double>(config.actions));
  }
  for (int t = 0; t < 256; ++t) distribution.observe(row);
  for (auto _ : state) benchmark::DoNotOptimize(distribution.log_probabilities());
}

BENCHMARK(BM_RnmFtnl)
    ->ArgNames({"experts", "rounds", "resample"})
    ->Args({100, 1 << 20, 0})
    ->Args({100, 1 << 20, 1})
    ->Args({10, 1 << 10, 0})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RandomPrefix)
    ->ArgNames({"experts", "rounds"})
    ->Args({100, 1 << 20})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_FollowTheLeader)->ArgNames({"experts", "rounds"})->Args({100, 1 << 14});
BENCHMARK(BM_Hedge)->ArgNames({"experts", "rounds"})->Args({100, 1 << 14});
BENCHMARK(BM_PlainLoop)->ArgNames({"experts", "rounds"})->Args({100, 1 << 14});
BENCHMARK(BM_BinomialCount)->Arg(64)->Arg(1024)->Arg(1 << 19);
BENCHMARK(BM_AuditPure)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_AuditDelta)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_LeaderDistribution)
    ->ArgNames({"experts", "noise"})
    ->Args({100, 0})
    ->Args({1000, 0})
    ->Args({1000, 1})
    ->Args({10'000, 2})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
