// Runs a policy in an environment, round by round. All simulations use this loop.
//
// The policy and the environment draw from separate streams, so that each can be repeated or shared
// without the other. Everything is a template, so that the compiler can inline it.
//
// If a policy's random bits are at known positions (bits_ahead, choose_with), the loop computes the bits
// of the next round while the policy chooses in the current one. The bits are the same, and it takes a
// tenth less time. An EpochPolicy gets a block of rounds at once if the environment can draw a summary of
// them. Its actions then have the same distribution as round by round, but the same seed gives
// other actions.
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

// The number of rounds that a feedback covers: all rounds of a block, otherwise one.
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

// Runs `rounds` rounds, from round `first` on; the policy must have run the earlier ones. Calls
// visit(round, action, feedback) after each round. For a block it calls it once, with the first round and
// the summary. Rounds count from 0. A run may be made in several parts. Parts divide blocks, which does
// not change the distribution of the run.
template <Policy P, EnvironmentOf<P> E, class Visit>
void play_from(std::int64_t first, P& policy, E& environment, std::int64_t rounds,
               ReplayStream& policy_random, ReplayStream& environment_random, Visit&& visit) {
  const std::int64_t end = first + rounds;
  // A generic lambda, so that it is compiled only where it is used.
  const auto learn = [&](std::int64_t round, const auto& action) {
    const typename P::Feedback feedback = environment.feedback(round, action, environment_random);
    detail::observe(policy, feedback, policy_random);
    visit(round, action, feedback);
  };
  if constexpr (EpochPolicy<P> && BlocksOf<E, P>) {
    for (std::int64_t round = first; round < end;) {
      const auto action = policy.choose(policy_random);
      const auto block =
          environment.block(std::min(policy.rounds_left(), end - round), environment_random);
      policy.observe_rounds(block, policy_random);
      visit(round, action, block);
      round += block.rounds;
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

// A whole run of `rounds` rounds, from round 0 on.
template <Policy P, EnvironmentOf<P> E, class Visit>
void play(P& policy, E& environment, std::int64_t rounds, ReplayStream& policy_random,
          ReplayStream& environment_random, Visit&& visit) {
  play_from(0, policy, environment, rounds, policy_random, environment_random, visit);
}

// The actions of one run, one for each round.
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

// The pseudo-regret of n_i pulls of arms with means mu_i: sum_i n_i (max mu - mu_i).
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
