// Scores for outputs of mechanisms that are cheap enough for millions of samples.
//
// Like the candidates of black_box/score.hpp, learnt from one part of the selection samples and
// compared on others; nothing here can invalidate a bound, a bad score only finds less. The
// candidates:
//   entries, and differences of successive ones, by themselves: the few that differ most;
//   bins: the sum over entries (or differences) of adaptive_bins.hpp, each entry with its own;
//   common bins: the same with one function for all entries, learnt from all of them: where n
//   entries move alike it has a share sqrt(1/n) of the noise;
//   cells: the log ratio of whole outputs, where few different ones occur;
//   trees: partition_tree.hpp over the summary of an output (output_summary.hpp), or the sum of one
//   tree for each of its halves;
//   logistic: ridge regression on the summary (black_box/logistic.hpp).
// Deterministic; scores are immutable. Same bits on every machine. Cost: 0.02 to 0.3 us a score.
#pragma once

#include <memory>
#include <vector>

#include "assay/auditors/methods/black_box/score.hpp"

namespace assay {

std::vector<std::shared_ptr<const OutputScore>> learn_output_scores(const SidePlays& learn);

}  // namespace assay
