// Audits the benchmark of faulty mechanisms, row by row, and compares the bounds with the known truth.
//
// The detector audits each row of the table from samples only. It never reads the row's distribution.
//   search   row_search.hpp chooses a pair of inputs, a score and an event of the score. It takes 20% of the
//            samples if there are two pairs, and 40 to 42% if there are eight.
//   certify  takes fresh samples of the pair's two inputs. Two samples share their random stream, so that
//            an event mostly happens on both inputs or on neither. Bets on such pairs of samples
//            (pair_betting.hpp) allow any dependence inside a pair. The lower bound on eps at delta = 0 is
//            one of some points that the search has fixed: the largest one such that the test reaches it and
//            all smaller ones. If fewer than 200 hits of the event are expected on Q, it is counted on
//            independent samples instead, split by best_ratio(), for the exact test (exact_test.hpp).
// The search and the certification read Philox streams of different phases, so the event is fixed before the
// samples that certify it are drawn. The bound of each row holds at the stated confidence, whatever the
// search did.
//
// Samples. DP-Sniper takes 5e6 samples per ordered pair of inputs and 2e7 for the best pair. This detector takes at
// most a tenth of that, including the search; two coupled samples count as two. DP-Sniper does not share streams.
// Sharing needs a mechanism that draws from a stream that the auditor chooses. All mechanisms of this library do, and
// so do external targets that use their seeds. Sharing does not change the marginal distributions, and so not the loss.
//
// A result is as expected if its bound is at most the true level and, whenever the best event of probability at least
// 1e-3 exceeds the claim clearly (by a twentieth), its bound exceeds the claim as well. A bound is wrong with
// probability at most 1 - confidence, and nearly that often if the event that was found attains the true level.
//
// Reference: Bichsel, Steffen, Bogunovic, Vechev, "DP-Sniper" (S&P 2021) for the task.
// Threads: results do not depend on their number. Cost: 0.1 to 0.5 us a sample.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "assay/auditors/methods/events.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/faulty/detection_table.hpp"

namespace assay {

struct DetectionPlan {
  std::uint64_t seed = 1;
  double confidence = 0.9;    // with which each row's bound holds, in [0.5, 1 - 1e-9]
  double sample_share = 0.1;  // the share of DP-Sniper's samples to take, in [0.001, 0.1]
};

struct DetectionResult {
  const faulty::DetectionRow* row = nullptr;
  // From the distribution (row_limits.hpp): the best event of probability at least 1e-3, and the bound that these
  // samples could certify.
  double best_event = 0.0;
  double ceiling = 0.0;
  std::int64_t samples = 0;
  std::int64_t sniper_samples = 0;

  std::size_t pair = 0;  // the index of the pair in the row
  std::string score;
  SelectedEvent selected;
  EventCounts counts;
  double lower = 0.0;  // the certified lower bound on eps
  double seconds = 0.0;

  static auto byte_fields(auto& self) {  // all but the row
    return std::tie(self.best_event, self.ceiling, self.samples, self.sniper_samples, self.pair,
                    self.score, self.selected, self.counts.x, self.counts.n, self.counts.y,
                    self.counts.m, self.lower, self.seconds);
  }
  bool convicted() const { return lower > row->claim; }
  bool above_truth() const { return lower > row->true_epsilon; }
  bool clearly_faulty() const { return best_event > 1.05 * row->claim; }
  bool as_expected() const { return !above_truth() && (convicted() || !clearly_faulty()); }
  bool beats_sniper() const { return lower > row->sniper_lower; }
};

struct Detection {
  DetectionPlan plan;
  std::int64_t selected = 0;  // the number of requested rows
  std::vector<DetectionResult> results;
  bool complete() const { return static_cast<std::int64_t>(results.size()) == selected; }
  bool as_expected() const;
};

std::int64_t sniper_samples(const faulty::DetectionRow& row);

// Selects rows by name or pattern, in the table's order. Selects all rows if there is no pattern.
Result<std::vector<const faulty::DetectionRow*>> select_rows(
    const std::vector<faulty::DetectionRow>& table, const std::vector<std::string>& patterns);

Status check_plan(const DetectionPlan& plan);

// The result from samples; detect() adds the figures from the distribution.
DetectionResult detect_row(const faulty::DetectionRow& row, const DetectionPlan& plan,
                           const RunControl& control);

// `done` is called after each row. A cancelled run has fewer results.
Result<Detection> detect(const std::vector<const faulty::DetectionRow*>& rows,
                         const DetectionPlan& plan, const RunControl& control,
                         const std::function<void(const DetectionResult&)>& done = {});

}  // namespace assay
