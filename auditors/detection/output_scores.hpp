// Scores for outputs of mechanisms that are cheap enough for millions of samples.
//
// Like the candidates of black_box/score.hpp, learnt from one part of the selection samples and
// compared on another; nothing here can invalidate a bound, a bad score only finds less. Entries
// may be numbers, infinities or NaN; an entry with few different finite values is a symbol, any
// other a number. The candidates:
//   entries, and differences of successive ones, by themselves, over intervals;
//   bins: sum over entries (or differences) of the log ratio of add-1/2 bin frequencies;
//   cells: the log ratio of whole outputs, where few different ones occur;
//   patterns: the symbols, with "a number" in place of a number, as one cell; to its log ratio
//   comes the smallest number, in bins of its own for each cell, or every number, in bins for the
//   first, second, ... of an output. Of the whole output, or summed over its two halves.
// Threads: scores are immutable. Same bits on every machine. Cost: 0.02 to 0.3 us a score.
#pragma once

#include <memory>
#include <vector>

#include "assay/auditors/methods/black_box/score.hpp"

namespace assay {

std::vector<std::shared_ptr<const OutputScore>> learn_output_scores(const SidePlays& learn);

}  // namespace assay
