// Estimates how often a best-arm policy does not recommend the best arm, from repeated runs (trials) of the
// policy in an environment by the simulation loop (simulation/play.hpp).
//
// A series of a simulation (simulation/series.hpp) records regret, whose mean does not show how many
// runs recommended which arm. So trials are counted here.
//
// Random streams (replay_stream.hpp): the seed is that of the plan, the purpose a hash of `id` and role, and
// the replicate the number of the trial. Chunks have a fixed number of trials, so counts do not depend on
// the number of threads. With `shared_luck` every policy gets the same random numbers of the environment in
// trial r, whatever its id.
// Threads: uses those of the control. Cost: 5 to 10 ns a pull, 1 to 2 if rewards come in totals (BernoulliArms), and the
// planning of later phases.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/simulation/play.hpp"

namespace assay {

struct TrialPlan {
  std::string id;
  std::int64_t trials = 1000;
  std::uint64_t seed = 1;
  Phase phase = Phase::kCertify;
  bool shared_luck = false;
};

struct ErrorCount {
  std::int64_t trials = 0;
  std::int64_t errors = 0;
  double rate() const { return static_cast<double>(errors) / static_cast<double>(trials); }
  friend bool operator==(const ErrorCount&, const ErrorCount&) = default;
};

// The recommendation of one trial.
template <Policy P, EnvironmentOf<P> E>
int play_trial(P policy, E environment, const TrialPlan& plan, std::int64_t trial) {
  const auto stream = [&](const std::string& role, std::uint64_t lane) {
    return ReplayStream({plan.seed, hash_purpose("best-arm/" + role),
                         static_cast<std::uint64_t>(trial), lane, plan.phase});
  };
  ReplayStream choices = stream(plan.id + "/policy", 0);
  ReplayStream luck = stream((plan.shared_luck ? std::string() : plan.id) + "/environment", 1);
  if constexpr (requires { policy.observe_all(environment.total(0, 1, luck), choices); }) {
    while (!policy.is_done()) {  // the same rewards and sums as round by round, which are exact
      const int arm = policy.choose(choices);
      policy.observe_all(environment.total(arm, policy.pulls_left(), luck), choices);
    }
  } else {
    play(policy, environment, policy.budget(), choices, luck, [](std::int64_t, int, double) {});
  }
  return policy.recommendation();
}

// Errors: kInterrupted.
template <Policy P, EnvironmentOf<P> E>
Result<ErrorCount> count_errors(const P& policy, const E& environment, int best,
                                const TrialPlan& plan, const RunControl& control = {}) {
  constexpr std::int64_t kChunk = 50;
  const auto chunks = static_cast<std::size_t>((plan.trials + kChunk - 1) / kChunk);
  const auto errors = map_chunks(control, chunks, [&](std::size_t chunk) {
    std::int64_t count = 0;
    const auto first = static_cast<std::int64_t>(chunk) * kChunk;
    for (auto trial = first; trial < std::min(first + kChunk, plan.trials); ++trial) {
      if (control.stopped()) break;
      if (play_trial(policy, environment, plan, trial) != best) ++count;
    }
    return count;
  });
  if (control.stopped()) return fail(ErrorCode::kInterrupted, "interrupted");
  ErrorCount total{plan.trials, 0};
  for (const auto count : errors) total.errors += count;
  return total;
}

}  // namespace assay
