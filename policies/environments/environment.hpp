// Environments: the sources of the feedback for a policy's actions.
//
// Two sources of rewards have different names. A reward stream r_1..r_T is the private input of an
// audit: the reward of round t is r_t, whichever arm is played (reward_stream.hpp). A stochastic
// environment draws rewards at random, for regret experiments.
//
// An environment is a value that may hold the state of a round (a row of losses, the counts of a
// table), so every run has its own copy.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/concepts.hpp"

namespace assay {

// Gives, for `round` (from 0), the context, if the policy sees one, and the feedback of `action`. The
// random numbers that it draws must not depend on the action, so that two policies with the same
// environment stream get the same feedback for the same action.
template <class E, class P>
concept EnvironmentOf = requires(E& environment, std::int64_t round,
                                 const typename P::Action& action, ReplayStream& random) {
  { environment.feedback(round, action, random) } -> std::convertible_to<typename P::Feedback>;
}
&&(std::same_as<typename P::Context, NoContext> ||
   requires(E & environment, std::int64_t round, ReplayStream& random) {
     { environment.context(round, random) } -> std::convertible_to<typename P::Context>;
   });

// An environment that can also draw the summary of `rounds` rounds at once for an EpochPolicy; the
// summary's `rounds` is their number. The summary has the same distribution as that of single rounds, but
// comes from other draws.
template <class E, class P>
concept BlocksOf = EnvironmentOf<E, P> &&
    requires(E& environment, std::int64_t rounds, ReplayStream& random) {
  { environment.block(rounds, random) } -> std::same_as<typename P::Block>;
  { environment.block(rounds, random).rounds } -> std::convertible_to<std::int64_t>;
};

// An environment that knows the mean reward of each arm. simulation/series.hpp lists further functions, which are
// optional.
template <class E>
concept StochasticEnvironment = requires(const E& environment) {
  { environment.means() } -> std::same_as<std::span<const double>>;
};

}  // namespace assay
