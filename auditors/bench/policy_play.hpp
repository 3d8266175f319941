// A policy as a candidate of `assay bench`: runs in an environment, whose random numbers all candidates share, and the
// regret of these runs.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "assay/auditors/bench/groups.hpp"
#include "assay/auditors/bench/memory.hpp"
#include "assay/policies/simulation/series.hpp"

namespace assay::detail {

// The random streams of a repetition: one of the policy's own, and one of the environment, the same for all policies.
struct PlayStreams {
  ReplayStream choices;
  ReplayStream luck;
};
PlayStreams play_streams(std::uint64_t seed, std::uint64_t purpose, std::uint64_t repetition);

// The pseudo-regret of the pulls of one run: sum of n_i (max mu - mu_i).
template <Policy P, StochasticEnvironment E>
double played_regret(P& policy, E environment, std::int64_t rounds, PlayStreams streams) {
  std::vector<std::int64_t> pulls(environment.means().size(), 0);
  play(policy, environment, rounds, streams.choices, streams.luck,
       [&](std::int64_t, const typename P::Action& action, const auto& feedback) {
         count_pulls(action, rounds_of(feedback), pulls);
       });
  return pseudo_regret(pulls, environment.means());
}

// `pulls_a_round`: the number of arms that a round pulls.
template <Policy P, StochasticEnvironment E>
ReadyCandidate policy_ready(const std::string& id, std::uint64_t seed, std::int64_t rounds,
                            const P& policy, const E& environment, double pulls_a_round = 1.0) {
  const auto means = environment.means();
  const auto [least, most] = std::minmax_element(means.begin(), means.end());
  ReadyCandidate ready;
  ready.level = policy.guarantee();
  ready.most_error = (*most - *least) * pulls_a_round * static_cast<double>(rounds);
  ready.units = rounds;
  const auto regret = [policy, environment, seed, rounds](std::uint64_t purpose,
                                                          std::uint64_t repetition) {
    P played = policy;
    return played_regret(played, environment, rounds, play_streams(seed, purpose, repetition));
  };
  ready.sample = [regret, purpose = bench_purpose(id, rounds, "choices")](
                     std::uint64_t repetition) { return regret(purpose, repetition); };
  const std::uint64_t timing = bench_purpose(id, rounds, "timing");
  ready.work = [regret, timing](std::uint64_t repetition) { regret(timing, repetition); };
  ready.state_bytes = [policy, environment, seed, rounds, timing] {
    P played = policy;
    played_regret(played, environment, rounds, play_streams(seed, timing, 0));
    return bytes_of(played);
  };
  return ready;
}

}  // namespace assay::detail
