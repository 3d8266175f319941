// What an environment is: where a bandit's rewards come from.
//
// Two different things carry rewards, and are named apart. A reward stream r_1..r_T is the private
// input of an audit: round t pays r_t whichever arm is played (reward_stream.hpp). Stochastic arms
// draw a fresh reward for the arm that is played; they serve regret experiments.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

// The reward, in [0, 1], of playing `action` in `round` (from 0). What it draws from `random` must
// not depend on the action, so that two policies with one environment stream meet the same luck.
template <class E>
concept Environment = requires(const E& environment, std::int64_t round, int action,
                               ReplayStream& random) {
  { environment.reward(round, action, random) } -> std::same_as<double>;
};

// With a mean reward per arm: what pseudo-regret needs.
template <class E>
concept StochasticEnvironment = Environment<E> && requires(const E& environment) {
  { environment.means() } -> std::same_as<std::span<const double>>;
};

}  // namespace assay
