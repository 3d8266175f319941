// One event of a score as a reader sees it: its description, its counts on both inputs, and histograms of the score.
#pragma once

#include <span>
#include <string>

#include "assay/auditors/methods/events.hpp"
#include "assay/auditors/methods/pair_evidence.hpp"

namespace assay {

// The event in words: "the score is at least 1.25", "the score is below 0 or at least 3", "the score is 2". Ends are
// written in full, so that anyone can repeat the count.
std::string event_words(const ScoreEvent& event);

// Takes the scores of the runs on each input, NaN among them.
EventEvidence event_evidence(const std::string& score, const ScoreEvent& event,
                             std::span<const double> base_scores,
                             std::span<const double> neighbour_scores);

}  // namespace assay
