// Detection: the benchmark of faulty mechanisms, row by row.
//
// For each row of the detection table, from samples alone (its law is never read by what finds):
//   search   row_search.hpp chooses a pair of inputs, a score and an event of it, with 20% of the
//            samples where there are two pairs and 40 to 42% where there are eight;
//   certify  fresh samples of the pair's two inputs. Pairs of them share their random stream, so that
//            an event mostly happens on both sides or on neither, and are bet on (pair_betting.hpp),
//            which any dependence inside a pair allows: the lower bound on eps at delta = 0 is that of
//            the largest of some points, fixed by the search, which all smaller ones reach with it.
//            An event that Q is expected to hit fewer than 200 times is counted instead on
//            independent samples, split by best_ratio(), for the exact test (exact_test.hpp).
// The two read Philox streams of their own phases, so the event is fixed before what certifies it
// is drawn: the bound holds at the stated confidence, row by row, whatever the search did.
//
// Samples. DP-Sniper's: 5e6 per ordered pair and 2e7 for the best. Ours: at most a tenth of that,
// search included; a coupled pair is two. Sharing streams is what DP-Sniper does not do: it takes a
// mechanism that draws from a stream that the auditor names, as all of this library do, and targets
// outside that honour their seeds. The marginal laws, and so the loss, are the same.
//
// As expected: the bound is at most the truth, and above the claim where the best event of
// probability at least 1e-3 is clearly, by a twentieth. A bound errs with probability at most
// 1 - confidence, and where the event found attains the truth nearly as often.
//
// Reference: Bichsel, Steffen, Bogunovic, Vechev, "DP-Sniper" (S&P 2021) for the task.
// Threads: results do not depend on their number. Cost: 0.1 to 0.5 us a sample.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "assay/auditors/methods/events.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/faulty/detection_table.hpp"

namespace assay {

struct DetectionPlan {
  std::uint64_t seed = 1;
  double confidence = 0.9;    // of each row's bound, in [0.5, 1 - 1e-9]
  double sample_share = 0.1;  // of DP-Sniper's samples, in [0.001, 0.1]
};

struct DetectionResult {
  const faulty::DetectionRow* row = nullptr;
  // From the law (row_limits.hpp): the best event of probability at least 1e-3, and what these
  // samples could certify.
  double best_event = 0.0;
  double ceiling = 0.0;
  std::int64_t samples = 0;
  std::int64_t sniper_samples = 0;

  std::size_t pair = 0;  // of the row
  std::string score;
  SelectedEvent selected;
  EventCounts counts;
  double lower = 0.0;  // certified
  double seconds = 0.0;

  bool convicted() const { return lower > row->claim; }
  bool above_truth() const { return lower > row->true_epsilon; }
  bool clearly_faulty() const { return best_event > 1.05 * row->claim; }
  bool as_expected() const { return !above_truth() && (convicted() || !clearly_faulty()); }
  bool beats_sniper() const { return lower > row->sniper_lower; }
};

struct Detection {
  DetectionPlan plan;
  std::int64_t selected = 0;  // rows asked for
  std::vector<DetectionResult> results;
  bool complete() const { return static_cast<std::int64_t>(results.size()) == selected; }
  bool as_expected() const;
};

std::int64_t sniper_samples(const faulty::DetectionRow& row);

// Rows by name or pattern, in the table's order; all of them for no pattern.
Result<std::vector<const faulty::DetectionRow*>> select_rows(
    const std::vector<faulty::DetectionRow>& table, const std::vector<std::string>& patterns);

Status check_plan(const DetectionPlan& plan);

// What the samples say; what the law says is left to detect().
DetectionResult detect_row(const faulty::DetectionRow& row, const DetectionPlan& plan,
                           const RunControl& control);

// `done` is called after each row. A cancelled run has fewer results.
Result<Detection> detect(const std::vector<const faulty::DetectionRow*>& rows,
                         const DetectionPlan& plan, const RunControl& control,
                         const std::function<void(const DetectionResult&)>& done = {});

}  // namespace assay
