// Trials of a best-arm policy as a series of a simulation (policies/simulation/series.hpp), so that
// they have its chunks, checkpoint, progress and interruption.
//
// A repetition is a trial, which is one round of the simulation. The policy spends its whole
// budget, and the round's action is the arm that it recommends. `pulls` count recommendations; the
// pseudo-regret is the gap of the recommended arm; the realised regret is the same.
// Threads: a series is read-only. Cost: 5 to 10 ns a pull, and the plans of later phases.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "assay/policies/simulation/series.hpp"

namespace assay::detail {

inline constexpr std::int64_t kTrialHorizon = 1;  // of a simulation of trials

template <Policy P, StochasticEnvironment E>
SimulatedSeries make_trial_series(std::string id, P policy, E environment) {
  SimulatedSeries series;
  series.id = std::move(id);
  series.means.assign(environment.means().begin(), environment.means().end());
  series.play = [policy = std::move(policy), environment = std::move(environment),
                 means = series.means](const ChunkPlan& plan) -> std::optional<ChunkResult> {
    const double best = *std::max_element(means.begin(), means.end());
    ChunkResult result;
    result.pulls.assign(means.size(), 0);
    for (std::int64_t trial = plan.first; trial < plan.end; ++trial) {
      if (plan.cancelled()) return std::nullopt;
      P player = policy;
      E payer = environment;
      ReplayStream choices = plan.stream(plan.policy_purpose, trial, 0);
      ReplayStream luck = plan.stream(plan.environment_purpose, trial, 1);
      play(player, payer, player.budget(), choices, luck, [](std::int64_t, int, double) {});
      const auto arm = static_cast<std::size_t>(player.recommendation());
      const double gap = best - means[arm];
      ++result.pulls[arm];
      result.pseudo.add(std::array{gap});
      result.realised.add(std::array{gap});
      result.final_pseudo.push_back(gap);
      result.final_realised.push_back(gap);
    }
    return result;
  };
  return series;
}

}  // namespace assay::detail
