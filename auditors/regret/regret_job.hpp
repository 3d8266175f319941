// The job of a [[regret]] entry of a suite: certifies whether the expected regret of a policy stays within a bound.
//
// Symbols: T the horizon, g the largest gap, R_r the pseudo-regret of run r (policies/simulation/series.hpp, (1)), which
// lies in [0, T g], or [0, 2 T g] for duels. n runs are independent, so
//   [L, U] = the betting interval of E[R] at alpha (auditors/statistics/betting.hpp)              (1)
// needs no further assumption. With a second policy, the baseline, each has an interval (1) at alpha/2, and
//   E[R] / E[R'] in [L/U', U/L']                                                                  (2)
// holds with probability 1 - alpha. Within the limit: U of (1), or of (2), is at most the limit. Above it: L is above
// the limit. Otherwise undecided.
// The bets are those for the planned number of runs, and (1) holds at any stopping time, so a time budget may end the
// runs. Both policies see the same random numbers of the environment.
// Determinism: the request determines the result, on any number of threads, unless a time budget ends the runs.
// Cost: that of the runs, 20 to 30 million rounds per second and core for simple policies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/regret/simulated_policies.hpp"
#include "assay/auditors/session/session.hpp"
#include "assay/mechanisms/core/options.hpp"

namespace assay {

inline constexpr std::int64_t kMostRegretRuns = 10'000'000;

struct RegretFacts {
  RegretEnvironment environment = RegretEnvironment::kBernoulliArms;
  bool has_baseline = false;
};

struct RegretJob : JobOptions {
  using Facts = RegretFacts;

  std::string policy;
  std::vector<KeyValue> parameters;
  std::optional<RegretEnvironment> environment;
  std::vector<double> means, rates;  // one of them, by the environment
  std::optional<std::int64_t> horizon;
  std::optional<std::int64_t> runs;
  // The limit: either a number, or a multiple of the regret of a second policy.
  std::optional<double> at_most;
  std::string baseline;
  std::vector<KeyValue> baseline_parameters;
  std::optional<double> at_most_times;

  std::uint64_t seed = 1;
  double alpha = 0.001;  // the error probability of the whole report

  static void fields(const VisitOption<RegretJob>& visit);
};

// A mean over runs, or a ratio of two, between certified bounds.
struct RegretBounds {
  double value = 0.0;
  double lower = 0.0;
  double upper = 0.0;  // infinite if there is no upper bound
};

enum class RegretVerdict { kWithin, kAbove, kUndecided };

struct RegretReport {
  std::int64_t horizon = 1;
  std::int64_t planned = 0;  // runs
  std::int64_t runs = 0;     // fewer if the time was spent
  double most_regret = 0.0;  // of one run of the policy
  RegretBounds regret;
  std::string baseline;  // empty for none
  std::optional<RegretBounds> baseline_regret, ratio;
  double limit = 0.0;  // of the ratio if there is one
  double alpha = 0.0;
  bool interrupted = false;

  const RegretBounds& limited() const { return ratio ? *ratio : regret; }
  RegretVerdict verdict() const;
};

// How many runs would probably decide, if the mean and the spread of further runs are those of the runs so far: the
// width of an interval falls with the square root of the runs. Nothing if that is more than kMostRegretRuns.
std::optional<std::int64_t> runs_to_decide(const RegretReport& report);

// Errors: a missing option, a policy, environment or parameter that does not exist or does not fit, arms that are all
// equally good. The message begins with the name of the option.
Result<PreparedJob<RegretReport>> prepare(const RegretJob& job);

}  // namespace assay
