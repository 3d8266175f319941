// The job of a [[regret]] entry of a suite: certifies whether the expected regret of a policy, or of the user's own
// program (program_regret.hpp), stays within a bound.
//
// Symbols: T the horizon, g the largest gap, R_r the pseudo-regret of run r (policies/simulation/series.hpp, (1)), which
// lies in [0, T g], in [0, 2 T g] for duels, or in [0, g] for a best-arm policy. n runs are independent, so
//   [L, U] = the betting interval of E[R] at alpha (auditors/statistics/betting.hpp)              (1)
// needs no further assumption. With a second policy, the baseline, each has an interval (1) at alpha/2, and
//   E[R] / E[R'] in [L/U', U/L']                                                                  (2)
// holds with probability 1 - alpha. Within the limit: U of (1), or of (2), is at most the limit. Above it: L is above
// the limit. Otherwise undecided.
// The bets are those for the planned number of runs, and (1) holds at any stopping time, so a time budget may end the
// runs. Both policies see the same random numbers of the environment.
// Determinism: the request determines the result, on any number of threads, unless a time budget ends the runs or a
// program draws random numbers that are not its seed's.
// Cost: that of the runs, 20 to 30 million rounds per second and core for simple policies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/regret/simulated_policies.hpp"
#include "assay/auditors/session/session.hpp"
#include "assay/mechanisms/core/options.hpp"
#include "assay/policies/inputs/input_kind.hpp"

namespace assay {

inline constexpr std::int64_t kMostRegretRuns = 10'000'000;

struct RegretFacts {
  RegretEnvironment environment = RegretEnvironment::kBernoulliArms;
  bool has_policy = false;
  bool has_baseline = false;  // a policy that comes with Assay
  bool has_program = false;   // as the subject or as the baseline
  bool is_compared = false;   // with either baseline
};

struct RegretJob : JobOptions {
  using Facts = RegretFacts;

  std::string policy;
  std::vector<KeyValue> parameters;
  // In place of a policy.
  std::string exec, plugin;
  std::optional<RegretEnvironment> environment;
  std::vector<double> means, rates;  // one of them, by the environment
  std::optional<std::int64_t> horizon;
  std::optional<std::int64_t> runs;
  // The limit: either a number, or a multiple of the regret of a second policy or program.
  std::optional<double> at_most;
  std::string baseline;
  std::vector<KeyValue> baseline_parameters;
  std::string baseline_exec;
  std::optional<double> at_most_times;
  // What programs are told and allowed. The kind follows from the environment if it is not given.
  std::optional<InputKind> kind;
  std::optional<std::int64_t> arms, numbers, estimates;
  std::string domain;
  std::optional<double> answer_time;
  std::vector<std::string> env;

  bool has_program() const { return !exec.empty() || !plugin.empty() || !baseline_exec.empty(); }

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
  std::int64_t planned = 0;     // runs
  std::int64_t runs = 0;        // fewer if the time was spent
  double most_regret = 0.0;     // of one run of the policy
  bool is_simple = false;       // whether the regret is the simple one, of a best-arm policy
  std::int64_t executions = 0;  // of bandit programs, which the rewards of a run take; 0 for none
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

// The same for a policy that is in no list, without a job.
struct RegretTerms {
  std::int64_t horizon = 1;
  std::int64_t runs = 1;
  double limit = 0.0;
  std::uint64_t seed = 1;
  double alpha = 0.001;
};
// Errors: an interruption.
Result<RegretReport> measure_regret(SimulatedPolicy policy, const RegretTerms& terms,
                                    const RunControl& control);

// Errors: a missing option, a policy, environment or parameter that does not exist or does not fit, arms that are all
// equally good. The message begins with the name of the option. The job ends with kTarget if a program cannot be started,
// breaks the protocol, fails in a run, or makes none before the time ends.
Result<PreparedJob<RegretReport>> prepare(const RegretJob& job);

}  // namespace assay
