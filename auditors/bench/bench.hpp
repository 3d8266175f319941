// The comparison of `assay bench`: the error, speed and memory of candidates (mechanisms, counters or policies), which
// are all calibrated to one proved privacy level.
//
// Every candidate is calibrated at every size, and its level is checked. Errors that are not known are estimated
// from runs. All intervals of a report share one alpha: each of k intervals holds at alpha/k, so all of them hold
// together with probability at least 1 - alpha. Errors that are computed from the distribution spend nothing.
//   mean of a bounded error    betting, at any stopping time
//   median of any error        order statistics
//   probability                Clopper-Pearson
//   known error                computed from the distribution, widened by the error of the computation
// Determinism: the name of a candidate, the size and r determine the random streams of repetition r. The data and
// the random numbers of an environment come from streams that all candidates share. Repetitions are made in blocks,
// each with all candidates at all sizes. When a time budget is spent, the comparison ends between two blocks. The
// report states the number of repetitions, and the same number gives the same report.
// Speed: the processor time of one thread. Each repetition times all candidates in turn and begins with another one,
// so that a disturbance of the machine affects all of them. Times cannot be reproduced, so they are in `meta`.
// Threads: the runs for errors use control.threads threads. Cost: that of the runs.
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
  double delta = 0.0;  // the delta proved at the target's eps, rounded up
  std::string reservation;
  std::vector<BenchError> errors;  // one for each of the comparison's measures
  std::optional<double> bytes;     // meta: the size of the state, after a run if there is one
};

// The seconds of a unit of work: one number for each repetition, in the order in which they ran.
struct BenchTiming {
  std::vector<double> seconds;
  double median() const { return quantile(0.5); }
  double quantile(double share) const;  // interpolated linearly; 0 if there are no times
};

struct BenchRow {
  std::string id;
  std::vector<BenchPoint> points;  // ascending; the last is at the requested size
  BenchTiming timing;              // meta: at the requested size
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
  int sizes = 5;                // in the plot: the requested one, a quarter of it, ...
  std::int64_t timings = 9;     // repetitions of a speed measurement; 0 for none
};

struct BenchReport {
  BenchComparison comparison;  // without candidates
  BenchPlan plan;
  std::int64_t samples = 0;  // the repetitions that were made; fewer if the time was spent
  std::vector<std::int64_t> sizes;
  std::vector<BenchRow> rows;  // ascending by the first error
  // Candidates that are not applicable at the requested size, or at another size of the plot.
  std::vector<BenchRefusal> refusals;
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
