// What an environment is: where the feedback of a policy's actions comes from.
//
// Two different things carry rewards, and are named apart. A reward stream r_1..r_T is the private
// input of an audit: round t pays r_t whichever arm is played (reward_stream.hpp). A stochastic
// environment draws anew; it serves regret experiments.
//
// An environment is a value that may hold what a round needs (a row of losses, the counts of a
// table): every play has its own.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/concepts.hpp"

namespace assay {

// In `round` (from 0): the context, where the policy sees one, and the feedback of `action`. What
// they draw from `random` must not depend on the action, so that two policies with one environment
// stream meet the same luck.
template <class E, class P>
concept EnvironmentOf = requires(E& environment, std::int64_t round,
                                 const typename P::Action& action, ReplayStream& random) {
  { environment.feedback(round, action, random) } -> std::convertible_to<typename P::Feedback>;
}
&&(std::same_as<typename P::Context, NoContext> ||
   requires(E & environment, std::int64_t round, ReplayStream& random) {
     { environment.context(round, random) } -> std::convertible_to<typename P::Context>;
   });

// That also draws the summary of `rounds` rounds at once for an EpochPolicy; `stretch.rounds` of it
// says how many. Same law as round by round, not the same draws.
template <class E, class P>
concept StretchesOf = EnvironmentOf<E, P> &&
    requires(E& environment, std::int64_t rounds, ReplayStream& random) {
  { environment.stretch(rounds, random) } -> std::same_as<typename P::Stretch>;
  { environment.stretch(rounds, random).rounds } -> std::convertible_to<std::int64_t>;
};

// With a mean reward per arm. What else a series can ask for is optional (simulation/series.hpp).
template <class E>
concept StochasticEnvironment = requires(const E& environment) {
  { environment.means() } -> std::same_as<std::span<const double>>;
};

}  // namespace assay
