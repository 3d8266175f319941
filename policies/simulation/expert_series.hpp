// One curve of a simulation with full information: an experts policy on losses drawn anew each
// round.
//
//     auto series = make_expert_series("laplace B=1", policy, one_gap_losses(10, 0.1).value());
//
// The reward of an action is one minus its loss, so that regrets are those of series.hpp. An
// EpochPolicy is played a stretch at a time: epochs are cut at the recorded rounds, which changes
// no law, and costs the sums of its losses alone. Threads: a series is read-only; play() may run on
// many at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/policies/simulation/play_losses.hpp"
#include "assay/policies/simulation/series.hpp"

namespace assay {

// The chunk's repetitions; nothing if it was cancelled.
template <ExpertsPolicy P>
std::optional<ChunkResult> play_expert_chunk(const P& prototype, const TwoPointLosses& losses,
                                             const ChunkPlan& plan) {
  const auto actions = static_cast<std::size_t>(losses.actions());
  const double least = *std::min_element(losses.means().begin(), losses.means().end());
  ChunkResult result;
  result.pulls.assign(actions, 0);
  std::vector<double> pseudo(plan.rounds.size());
  std::vector<double> realised(plan.rounds.size());
  for (std::int64_t repetition = plan.first; repetition < plan.end; ++repetition) {
    if (plan.cancelled()) return std::nullopt;
    ReplayStream choices = plan.stream(plan.policy_purpose, repetition, 0);
    ReplayStream luck = plan.stream(plan.environment_purpose, repetition, 1);
    P policy = prototype;
    std::int64_t round = 0;
    double regret = 0.0;
    double lost = 0.0;
    for (std::size_t k = 0; k < plan.rounds.size(); ++k) {
      play_losses(policy, losses, plan.rounds[k] - round, choices, luck,
                  [&](std::int64_t, std::int64_t count, int action, double loss) {
                    result.pulls[static_cast<std::size_t>(action)] += count;
                    regret += static_cast<double>(count) * losses.gap(action);
                    lost += loss;
                  });
      round = plan.rounds[k];
      pseudo[k] = regret;
      realised[k] = lost - least * static_cast<double>(round);
    }
    result.pseudo.add(pseudo);
    result.realised.add(realised);
    result.final_pseudo.push_back(pseudo.back());
    result.final_realised.push_back(realised.back());
  }
  return result;
}

template <ExpertsPolicy P>
SimulatedSeries make_expert_series(std::string id, P policy, TwoPointLosses losses) {
  SimulatedSeries series;
  series.id = std::move(id);
  for (const double mean : losses.means()) series.means.push_back(1.0 - mean);
  series.play = [policy = std::move(policy), losses = std::move(losses)](const ChunkPlan& plan) {
    return play_expert_chunk(policy, losses, plan);
  };
  return series;
}

}  // namespace assay
