// One event of a score as a reader sees it: in words, counted on both sides, with histograms of the score.
#pragma once

#include <span>
#include <string>

#include "assay/auditors/methods/events.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"

namespace assay {

// "the score is at least 1.25", "the score is below 0 or at least 3", "the score is 2". Ends are written
// in full, so that anyone can count it again.
std::string event_words(const ScoreEvent& event);

// Of the scores of the plays of either side, NaN among them. Histograms of at most 40 bins over the middle 99%
// of all of them; -infinity counts in the first, +infinity and NaN in the last.
EventEvidence event_evidence(const std::string& score, const ScoreEvent& event,
                             std::span<const double> old_scores,
                             std::span<const double> new_scores);

}  // namespace assay
