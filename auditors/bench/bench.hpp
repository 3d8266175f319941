// The comparison of `assay bench`: error, speed and memory of candidates at one certified privacy level.
//
// Every candidate is calibrated at every size, and its level is checked. Errors that are not known are estimated
// from runs. All intervals of one report share one alpha by a ledger: each of k intervals holds at alpha/k, and
// all of them at once with probability at least 1 - alpha. Errors that the distribution gives spend nothing.
//   mean of a bounded error    betting, at any stopping time
//   median of any error        order statistics
//   probability                Clopper-Pearson
//   known                      from the distribution, widened by the error of its computation
// Determinism: repetition r of a candidate draws from streams that its name, the size and r decide. The data and
// the luck of an environment come from streams that all candidates share. Repetitions go in blocks, each of all
// candidates at all sizes. A spent time budget ends the run between two blocks, so the report is that of the
// number of repetitions that it names.
// Speed: processor time of one thread. Each repetition times all candidates in turn and begins with another one,
// so that a disturbance of the machine meets all of them. Times are not reproducible and hence in `meta`.
// Threads: runs for errors use control.threads of them. Cost: that of the runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/auditors/bench/candidate.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

struct BenchError {
  double value = 0.0;  // NaN if not known
  double lower = 0.0;
  double upper = 0.0;
  bool known() const { return value == value; }
};

struct BenchPoint {
  std::int64_t size = 1;
  std::vector<KeyValue> parameters;
  Guarantee level;
  double delta = 0.0;  // certified at the target's eps, rounded up
  std::string reservation;
  std::vector<BenchError> errors;  // as the comparison's measures
  std::optional<double> bytes;     // meta; of the state, after a run if there is one
};

// Seconds of a unit of work, one number for each repetition, in the order in which they ran.
struct BenchTiming {
  std::vector<double> seconds;
  double median() const { return quantile(0.5); }
  double quantile(double share) const;  // linear between neighbours; 0 if there are none
};

struct BenchRow {
  std::string id;
  std::vector<BenchPoint> points;  // ascending; the last is at the requested size
  BenchTiming timing;              // meta; at that size
};

struct BenchRefusal {
  std::string id;
  std::int64_t size = 1;
  std::string reason;
};

struct BenchPlan {
  std::uint64_t seed = 1;
  double confidence = 0.999;
  std::int64_t samples = 1000;  // repetitions of each candidate at each size
  int sizes = 5;                // of the plot: the requested one, a quarter of it, ...
  std::int64_t timings = 9;     // 0 for none
};

struct BenchReport {
  BenchComparison comparison;  // without candidates
  BenchPlan plan;
  std::int64_t samples = 0;  // repetitions made; fewer if the time was spent
  std::vector<std::int64_t> sizes;
  std::vector<BenchRow> rows;          // by the first error, ascending
  std::vector<BenchRefusal> refusals;  // of a candidate, at the requested size, or of a point
  std::vector<AlphaLedger::Entry> alpha;
  bool interrupted = false;
  std::string reproduce;
  RunMeta meta;

  bool complete() const { return !interrupted; }
};

// Errors: an interrupt before the end of the first block; two candidates with the same name.
Result<BenchReport> run_bench(const BenchComparison& comparison, const BenchPlan& plan,
                              const RunControl& control);

}  // namespace assay
