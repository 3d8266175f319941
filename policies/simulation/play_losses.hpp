// Playing a policy with full information on losses: the one simulation loop of this kind.
//
// Policy and losses draw from streams of their own. An EpochPolicy is handed an epoch at once: the
// number of high losses of each expert is drawn in place of the losses, which has the same law, so
// that its actions have the same law as round by round (not the same actions for the same seed).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/environments/two_point_losses.hpp"
#include "assay/policies/experts/concepts.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// Plays the next `rounds` rounds. Calls visit(first, count, action, loss) for each stretch of
// `count` rounds from `first` on, counted from 0 at this call, that plays one action; `loss` is
// what the action lost in the stretch. A later call goes on in the middle of an epoch where this
// one ended.
template <ExpertsPolicy P, class Visit>
void play_losses(P& policy, const TwoPointLosses& losses, std::int64_t rounds,
                 ReplayStream& policy_random, ReplayStream& loss_random, Visit&& visit) {
  const auto actions = static_cast<std::size_t>(losses.actions());
  if constexpr (EpochPolicy<P>) {
    std::vector<std::int64_t> counts(actions);
    for (std::int64_t round = 0; round < rounds;) {
      const int action = policy.choose(policy_random);
      const std::int64_t count = std::min(policy.rounds_left(), rounds - round);
      losses.high_counts(count, loss_random, counts);
      policy.observe_rounds(losses, counts, count, policy_random);
      visit(round, count, action, losses.total(action, count, counts));
      round += count;
    }
  } else {
    std::vector<double> row(actions);
    for (std::int64_t round = 0; round < rounds; ++round) {
      const int action = policy.choose(policy_random);
      losses.losses(loss_random, row);
      policy.observe(row, policy_random);
      visit(round, std::int64_t{1}, action, row[static_cast<std::size_t>(action)]);
    }
  }
}

// The actions of one play on a fixed sequence.
template <ExpertsPolicy P>
Transcript play_losses(P policy, const InputTable& losses, ReplayStream random) {
  Transcript actions;
  for (std::int64_t round = 0; round < losses.rows; ++round) {
    actions.push_back(policy.choose(random));
    policy.observe(losses.row(round), random);
  }
  return actions;
}

}  // namespace assay
