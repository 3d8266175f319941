// The job of `assay bench`: compares mechanisms, counters or policies, all calibrated to one proved privacy level.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/bench/bench.hpp"
#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"

namespace assay {

struct BenchJob : JobOptions {
  std::vector<std::string> candidates;  // a group, or names and patterns of its candidates
  std::vector<KeyValue> parameters;     // of the group
  std::optional<double> epsilon;        // required
  double delta = 0.0;
  std::optional<std::int64_t> compose;  // releases that share the level
  std::optional<std::int64_t> samples;  // runs of each candidate at each size; default 1000
  std::optional<double> seconds;        // time limit, in place of `samples`
  std::uint64_t seed = BenchPlan{}.seed;
  double confidence = BenchPlan{}.confidence;
  std::int64_t sizes = BenchPlan{}.sizes;      // the size, a quarter of it, and so on
  std::int64_t timings = BenchPlan{}.timings;  // repetitions of a speed measurement; 0: none
  RunOptions run;

  static void fields(const VisitOption<BenchJob>& visit);
};

// Errors: an unknown candidate, candidates of two groups, a parameter that the group does not have or that is out of
// range. The message names the option and its range.
Result<PreparedJob<BenchReport>> prepare(const BenchJob& job);

}  // namespace assay
