// Scores for black-box audits: functions of an output that tell the two sides apart.
//
// Learnt from one part of the selection runs and compared on another by the lower bound that the
// event method predicts from them; the winner is then certified on runs that neither part saw. The
// candidates:
//   each feature by itself, over intervals;
//   bins: sum over features of the log ratio of add-1/2 bin frequencies (naive Bayes);
//   logistic: ridge regression of the side on the standardised features;
//   pairs: sum over the output of the log ratio of successive actions (a first-order Markov chain);
//   cells: the log ratio of whole outputs, where few different ones occur;
//   low bits: what rounding leaves of a mechanism's answer (low_bits.hpp).
// Nothing here can invalidate an audit: a bad score only finds less.
// Deterministic; same bits on every machine. Cost: a few ms per 1000 runs of 50 features.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "assay/auditors/methods/black_box/features.hpp"
#include "assay/auditors/methods/events.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

// What a score is learnt from: runs on both sides.
struct SidePlays {
  OutputBatch old_side;
  OutputBatch new_side;
};

class OutputScore {
 public:
  virtual ~OutputScore() = default;
  virtual std::string name() const = 0;
  virtual EventClass events() const = 0;
  virtual double score(std::span<const double> output) const = 0;
};

struct LearntScore {
  std::shared_ptr<const OutputScore> score;
  SelectedEvent event;     // of the score
  double predicted = 0.0;  // the best lower bound on eps that the comparison part promises
  std::string candidates;  // how many were compared
};

// plan.alpha and plan.delta say what the prediction is for, `runs_left` how many runs a side will
// certify.
//
// Among thousands of half-lines the one that promises most looks better than it is. So the events are
// compared twice: as they look, and marked down by what the comparison part leaves in doubt. The
// second choice is the better one where it is still predicted to lie above `claim`; where it is not,
// it would decide nothing, and the first, which may be a rare event, is taken.
LearntScore learn_score(const InputShape& shape, std::int64_t changed_row, const SidePlays& learn,
                        const SidePlays& compare, const EventPlan& plan, std::int64_t runs_left,
                        Epsilon claim);

std::vector<double> scores_of(const OutputScore& score, const OutputBatch& plays);

}  // namespace assay
