// Scores for black-box audits: functions of an output that separate the runs on D from those on D'.
//
// Scores are learnt from runs and compared on others by the events that they offer (event_search.hpp); one event
// of the best is certified on runs that neither step used. The candidates:
//   entries, and differences of successive ones, by themselves: the few that differ most;
//   bins: the sum over entries (or differences) of adaptive_bins.hpp, each entry with its own;
//   common bins: the same with one function for all entries, learnt from all of them; if n entries
//   change alike, it has a share sqrt(1/n) of the noise;
//   trees: partition_tree.hpp over the summary of an output (output_summary.hpp), or the sum of one
//   tree for each of its halves;
//   logistic: ridge regression on the summary (logistic.hpp);
//   cells: the log ratio of whole outputs, if few different ones occur.
// And if a run costs more than a few microseconds:
//   each of a target's features (features.hpp) by itself, over intervals; their bins, a tree and a
//   logistic regression over them;
//   pairs: sum over the output of the log ratio of successive actions (a first-order Markov chain);
//   low bits: traces of a mechanism's answer that rounding leaves (low_bits.hpp);
//   copies: how many numbers of the output are exactly a number that only one of the two inputs holds.
// A failed run (target.hpp) is one symbol. Scores are learnt from the other runs; a failed run has a
// score above all of theirs, or, in a second version, one below all. Whether a run failed is a score by itself.
// Nothing here can invalidate a bound: a bad score only finds less.
// Deterministic; scores are immutable. Results are bit-identical on every machine. Cost: 0.02 to 0.3 us a score.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/auditors/methods/black_box/features.hpp"
#include "assay/auditors/methods/events.hpp"
#include "assay/auditors/methods/output_frequencies.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

class OutputScore {
 public:
  virtual ~OutputScore() = default;
  virtual std::string name() const = 0;
  virtual EventClass events() const = 0;
  // The rounds and the action that it reads, if not the whole output.
  virtual std::optional<EventRounds> rounds() const { return std::nullopt; }
  // Values at which events begin however rare they are, increasing; other cuts are learnt.
  virtual std::vector<double> known_cuts() const { return {}; }
  double score(std::span<const double> output) const {
    return is_failed(output) ? of_failed() : of_output(output);
  }
  virtual double of_output(std::span<const double> output) const = 0;  // of a run that did not fail
  virtual double of_failed() const { return std::numeric_limits<double>::quiet_NaN(); }
  // The description of the event. with_failures: some of the runs failed.
  virtual std::string words(const ScoreEvent& event, bool with_failures) const;
};

// A score of features of an output alone, so that code that computes many scores writes the features once.
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

// The known properties of the outputs.
struct OutputView {
  InputShape shape;
  std::int64_t changed_row = 0;  // of the input, from 0
  bool cheap = false;            // millions of runs: only the first candidates, without low bits
  // Numbers that only D, or only D', holds; sorted.
  std::vector<double> only_base = {}, only_neighbour = {};
};

// A stopped control gives fewer candidates, and poor ones.
std::vector<std::shared_ptr<const OutputScore>> learn_scores(const OutputView& view,
                                                             const SideRuns& runs,
                                                             const RunControl& control);

// Scores of runs. Those that share features share the cost of writing them.
class ScoredRuns {
 public:
  ScoredRuns(const OutputBatch& runs, const RunControl& control) : runs_(runs), control_(control) {}
  std::vector<double> scores(const OutputScore& score);  // if stopped, zeros for the rest

 private:
  const OutputBatch& runs_;
  const RunControl& control_;
  const Features* written_ = nullptr;  // the features whose rows are stored
  std::vector<double> rows_;
};

}  // namespace assay
