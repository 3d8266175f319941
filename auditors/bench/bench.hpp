// The comparison of `assay bench`: error, speed and memory of contenders at one certified privacy level.
//
// Every contender is calibrated at every size, its level is checked, and what is not known of its error is
// played. All intervals of one report share one alpha by a ledger: of k intervals each holds at alpha/k, and
// all of them at once with probability at least 1 - alpha. What is known from the law spends nothing.
//   mean of a bounded error    betting, at any stopping time
//   median of any error        order statistics
//   probability                Clopper-Pearson
//   known                      the law's own, widened by the error of its computation
// Determinism: repetition r of a contender draws from streams that its name, the size and r decide, and the
// data and the luck of an environment from streams that all contenders share. Repetitions go in blocks, each
// of all contenders at all sizes; a spent time budget ends the run between two blocks, so that the report is
// that of the number of repetitions which it names.
// Speed: processor time of one thread, contenders in turn within each repetition and from another one on in
// each, so that what disturbs the machine for a while meets all of them. Not reproducible, hence `meta`.
// Threads: errors are played on control.threads of them. Cost: that of the plays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/auditors/bench/contender.hpp"
#include "assay/auditors/statistics/alpha_ledger.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay {

struct BenchError {
  double value = 0.0;  // NaN: not known
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
  std::optional<double> bytes;     // meta; of the state, after a play where there is one
};

// Seconds of a unit of work, a repetition each, in the order of their running.
struct BenchTiming {
  std::vector<double> seconds;
  double median() const { return quantile(0.5); }
  double quantile(double share) const;  // linear between neighbours; 0 of none
};

struct BenchRow {
  std::string id;
  std::vector<BenchPoint> points;  // ascending; the last is at the size asked for
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
  std::int64_t samples = 1000;  // repetitions of each contender at each size
  int sizes = 5;                // of the plot: the one asked for, a quarter of it, ...
  std::int64_t timings = 9;     // 0: none
};

struct BenchReport {
  Comparison comparison;  // without contenders
  BenchPlan plan;
  std::int64_t samples = 0;  // repetitions played; fewer where the time was spent
  std::vector<std::int64_t> sizes;
  std::vector<BenchRow> rows;          // the least first error first
  std::vector<BenchRefusal> refusals;  // at the size asked for: of the contender; else of a point
  std::vector<AlphaLedger::Entry> alpha;
  bool interrupted = false;
  std::string reproduce;
  RunMeta meta;

  bool complete() const { return !interrupted; }
};

// Errors: interrupted before the first block was played; a comparison whose contenders share a name.
Result<BenchReport> run_bench(const Comparison& comparison, const BenchPlan& plan,
                              const RunControl& control);

}  // namespace assay
