// The job of a benchmark: mechanisms, counters or policies at one certified privacy level.
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
  std::optional<std::int64_t> samples;
  std::optional<double> seconds;
  std::uint64_t seed = BenchPlan{}.seed;
  double confidence = BenchPlan{}.confidence;
  std::int64_t sizes = BenchPlan{}.sizes;
  std::int64_t timings = BenchPlan{}.timings;
  RunOptions run;

  static void fields(const VisitOption<BenchJob>& visit);
};

// Errors name the option and its range: an unknown candidate, candidates of two groups, a parameter that the
// group does not have or that does not fit.
Result<PreparedJob<BenchReport>> prepare(const BenchJob& job);

}  // namespace assay
