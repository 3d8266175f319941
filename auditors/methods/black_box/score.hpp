// Scores for black-box audits: functions of an output that tell the two sides apart.
//
// Learnt from plays, compared on others by the events that they offer (event_search.hpp), and one event
// of the best is certified on plays that neither saw. The candidates:
//   entries, and differences of successive ones, by themselves: the few that differ most;
//   bins: the sum over entries (or differences) of adaptive_bins.hpp, each entry with its own;
//   common bins: the same with one function for all entries, learnt from all of them: where n
//   entries move alike it has a share sqrt(1/n) of the noise;
//   trees: partition_tree.hpp over the summary of an output (output_summary.hpp), or the sum of one
//   tree for each of its halves;
//   logistic: ridge regression on the summary (logistic.hpp);
//   cells: the log ratio of whole outputs, where few different ones occur.
// And for plays that are dearer than a few microseconds:
//   each of a target's features (features.hpp) by itself, over intervals; their bins, a tree and a
//   logistic regression over them;
//   pairs: sum over the output of the log ratio of successive actions (a first-order Markov chain);
//   low bits: what rounding leaves of a mechanism's answer (low_bits.hpp).
// Runs that failed (target.hpp) are one symbol. Scores are learnt from the others, and a run that failed has a
// score above all of theirs, and beside it one below all; whether a run failed is a score by itself.
// Nothing here can invalidate a bound: a bad score only finds less.
// Deterministic; scores are immutable. Same bits on every machine. Cost: 0.02 to 0.3 us a score.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/auditors/methods/black_box/features.hpp"
#include "assay/auditors/methods/events.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

class OutputScore {
 public:
  virtual ~OutputScore() = default;
  virtual std::string name() const = 0;
  virtual EventClass events() const = 0;
  double score(std::span<const double> output) const {
    return is_failed(output) ? of_failed() : of_output(output);
  }
  virtual double of_output(std::span<const double> output) const = 0;  // of a run that did not fail
  virtual double of_failed() const { return std::numeric_limits<double>::quiet_NaN(); }
  // The event in words. With failures: of runs of which some failed.
  virtual std::string words(const ScoreEvent& event, bool with_failures) const;
};

// A score of features of an output alone: those who score many outputs write the features once.
class FeaturesScore : public OutputScore {
 public:
  explicit FeaturesScore(std::shared_ptr<const Features> features)
      : features_(std::move(features)) {}
  const Features& features() const { return *features_; }
  double of_output(std::span<const double> output) const final;
  virtual double of_features(std::span<const double> row) const = 0;

 private:
  std::shared_ptr<const Features> features_;
};

// What is known of the outputs.
struct OutputView {
  InputShape shape;
  std::int64_t changed_row = 0;  // of the input, from 0
  bool cheap = false;            // millions of plays: the first candidates alone, without low bits
};

// A stopped control has fewer candidates, and poor ones.
std::vector<std::shared_ptr<const OutputScore>> learn_scores(const OutputView& view,
                                                             const SidePlays& plays,
                                                             const RunControl& control);

// Scores of plays, those that share features at the cost of writing these once.
class ScoredPlays {
 public:
  ScoredPlays(const OutputBatch& plays, const RunControl& control)
      : plays_(plays), control_(control) {}
  std::vector<double> scores(const OutputScore& score);  // stopped, zeros for the rest

 private:
  const OutputBatch& plays_;
  const RunControl& control_;
  const Features* written_ = nullptr;  // whose rows are kept
  std::vector<double> rows_;
};

}  // namespace assay
