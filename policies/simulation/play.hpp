// Playing a policy in an environment: the one simulation loop.
//
// Policy and environment draw from streams of their own, so a policy's choices and the luck of the
// environment can be replayed or shared separately. Everything is a template: the compiler sees
// through.
//
// A policy whose random words are at known places (bits_ahead, choose_with) has those of the next
// round computed while the current round is decided: the same bits, a tenth faster. An EpochPolicy
// is handed a stretch of rounds at once where the environment can draw its summary: its actions
// have the same law as round by round (not the same actions for the same seed).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/environments/environment.hpp"

namespace assay {

template <class P>
concept LooksAhead = Policy<P> && requires(P policy, const P& view, ReplayStream& random) {
  { policy.choose_with(view.bits_ahead(random, 1), random) } -> std::same_as<typename P::Action>;
};

// How many rounds a feedback is of: those of a stretch, else one.
template <class Feedback>
constexpr std::int64_t rounds_of(const Feedback& feedback) {
  if constexpr (requires { feedback.rounds; }) {
    return feedback.rounds;
  } else {
    return 1;
  }
}

namespace detail {

template <Policy P>
void observe(P& policy, const typename P::Feedback& feedback, ReplayStream& random) {
  if constexpr (requires { policy.observe(feedback); }) {
    policy.observe(feedback);
  } else {
    policy.observe(feedback, random);
  }
}

}  // namespace detail

// Plays `rounds` rounds from round `first` on (the policy has played those before); calls
// visit(round, action, feedback) after each, or after each stretch with its first round and its
// summary. Rounds count from 0. A play in several parts is the same play; they cut stretches, which
// changes no law.
template <Policy P, EnvironmentOf<P> E, class Visit>
void play_from(std::int64_t first, P& policy, E& environment, std::int64_t rounds,
               ReplayStream& policy_random, ReplayStream& environment_random, Visit&& visit) {
  const std::int64_t end = first + rounds;
  // Generic, so that it is compiled only where it is used.
  const auto learn = [&](std::int64_t round, const auto& action) {
    const typename P::Feedback feedback = environment.feedback(round, action, environment_random);
    detail::observe(policy, feedback, policy_random);
    visit(round, action, feedback);
  };
  if constexpr (EpochPolicy<P> && StretchesOf<E, P>) {
    for (std::int64_t round = first; round < end;) {
      const auto action = policy.choose(policy_random);
      const auto stretch =
          environment.stretch(std::min(policy.rounds_left(), end - round), environment_random);
      policy.observe_rounds(stretch, policy_random);
      visit(round, action, stretch);
      round += stretch.rounds;
    }
  } else if constexpr (LooksAhead<P>) {
    auto bits = policy.bits_ahead(policy_random, 0);
    for (std::int64_t round = first; round < end; ++round) {
      const auto next_bits = policy.bits_ahead(policy_random, 1);
      learn(round, policy.choose_with(bits, policy_random));
      bits = next_bits;
    }
  } else if constexpr (std::same_as<typename P::Context, NoContext>) {
    for (std::int64_t round = first; round < end; ++round) {
      learn(round, policy.choose(policy_random));
    }
  } else {
    for (std::int64_t round = first; round < end; ++round) {
      learn(round, policy.choose(environment.context(round, environment_random), policy_random));
    }
  }
}

template <Policy P, EnvironmentOf<P> E, class Visit>
void play(P& policy, E& environment, std::int64_t rounds, ReplayStream& policy_random,
          ReplayStream& environment_random, Visit&& visit) {
  play_from(0, policy, environment, rounds, policy_random, environment_random, visit);
}

// The actions of one play.
template <Policy P, EnvironmentOf<P> E>
std::vector<typename P::Action> play(P policy, E environment, std::int64_t rounds,
                                     ReplayStream policy_random, ReplayStream environment_random) {
  std::vector<typename P::Action> actions;
  actions.reserve(static_cast<std::size_t>(rounds));
  play(policy, environment, rounds, policy_random, environment_random,
       [&](std::int64_t, const typename P::Action& action, const auto& feedback) {
         actions.insert(actions.end(), static_cast<std::size_t>(rounds_of(feedback)), action);
       });
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
