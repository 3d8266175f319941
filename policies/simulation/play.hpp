// Playing a policy on an environment: the one simulation loop.
//
// Policy and environment draw from streams of their own, so a policy's choices and the luck of the
// arms can be replayed or shared separately. Everything is a template: the compiler sees through.
//
// A policy whose random words are at known places (bits_ahead, choose_with) has those of the next
// round computed while the current round is decided: the same bits, a tenth faster.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/environments/environment.hpp"

namespace assay {

template <class P>
concept LooksAhead = Policy<P> && requires(P policy, const P& view, ReplayStream& random) {
  { policy.choose_with(view.bits_ahead(random, 1), random) } -> std::same_as<int>;
};

// Plays `rounds` rounds from round `first` on (the policy has played those before); calls
// visit(round, action, reward) after each. Rounds count from 0. A play in several parts is the same
// play.
template <Policy P, Environment E, class Visit>
void play_from(std::int64_t first, P& policy, const E& environment, std::int64_t rounds,
               ReplayStream& policy_random, ReplayStream& environment_random, Visit&& visit) {
  const std::int64_t end = first + rounds;
  if constexpr (LooksAhead<P>) {
    auto bits = policy.bits_ahead(policy_random, 0);
    for (std::int64_t round = first; round < end; ++round) {
      const auto next_bits = policy.bits_ahead(policy_random, 1);
      const int action = policy.choose_with(bits, policy_random);
      const double reward = environment.reward(round, action, environment_random);
      policy.observe(reward);
      visit(round, action, reward);
      bits = next_bits;
    }
  } else {
    for (std::int64_t round = first; round < end; ++round) {
      const int action = policy.choose(policy_random);
      const double reward = environment.reward(round, action, environment_random);
      policy.observe(reward);
      visit(round, action, reward);
    }
  }
}

template <Policy P, Environment E, class Visit>
void play(P& policy, const E& environment, std::int64_t rounds, ReplayStream& policy_random,
          ReplayStream& environment_random, Visit&& visit) {
  play_from(0, policy, environment, rounds, policy_random, environment_random, visit);
}

// The transcript of one play.
template <Policy P, Environment E>
Transcript play(P policy, const E& environment, std::int64_t rounds, ReplayStream policy_random,
                ReplayStream environment_random) {
  Transcript actions;
  actions.reserve(static_cast<std::size_t>(rounds));
  play(policy, environment, rounds, policy_random, environment_random,
       [&](std::int64_t, int action, double) { actions.push_back(action); });
  return actions;
}

// Pseudo-regret of n_i pulls of arms with means mu_i: sum_i n_i (max mu - mu_i).
inline double pseudo_regret(std::span<const std::int64_t> pulls, std::span<const double> means) {
  ASSAY_CHECK(pulls.size() == means.size() && !means.empty(), "one mean per arm");
  const double best = *std::max_element(means.begin(), means.end());
  double regret = 0.0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    regret += static_cast<double>(pulls[i]) * (best - means[i]);
  }
  return regret;
}

}  // namespace assay
