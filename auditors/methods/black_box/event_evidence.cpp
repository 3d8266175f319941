#include "assay/auditors/methods/black_box/event_evidence.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "assay/auditors/methods/pair_histogram.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay {
namespace {

// The score of that rank; NaN for ranks below -infinity and above +infinity.
double score_of_rank(std::int64_t rank) {
  const std::int64_t bits = rank >= 0 ? rank : std::numeric_limits<std::int64_t>::min() - rank;
  return std::bit_cast<double>(bits);
}

}  // namespace

std::string event_words(const ScoreEvent& event) {
  const bool from_below = event.low <= score_rank(-kInfinity);
  const bool to_above = event.high >= score_rank(kInfinity);
  if (from_below && to_above) return event.inside ? "any score" : "no score";
  // Intervals are cut below a value, so the first one beyond them is the number of the cut.
  const std::string from = number_text(score_of_rank(event.low));
  const std::string beyond = to_above ? "" : number_text(score_of_rank(event.high + 1));
  std::string words;
  if (from_below) {
    words = (event.inside ? "below " : "at least ") + beyond;
  } else if (to_above) {
    words = (event.inside ? "at least " : "below ") + from;
  } else if (event.low == event.high) {
    words = (event.inside ? "" : "not ") + from;
  } else {
    words = event.inside ? "at least " + from + " and below " + beyond
                         : "below " + from + " or at least " + beyond;
  }
  return "the score is " + words;
}

EventEvidence event_evidence(const std::string& score, const ScoreEvent& event,
                             std::span<const double> base_scores,
                             std::span<const double> neighbour_scores) {
  EventEvidence out;
  out.score = score;
  out.event = event_words(event);
  const auto hits = [&](std::span<const double> scores) {
    return std::count_if(scores.begin(), scores.end(),
                         [&](double one) { return event.contains(one); });
  };
  out.base_runs = static_cast<std::int64_t>(base_scores.size());
  out.neighbour_runs = static_cast<std::int64_t>(neighbour_scores.size());
  out.base_hits = hits(base_scores);
  out.neighbour_hits = hits(neighbour_scores);
  out.scores = pair_histogram(base_scores, neighbour_scores);
  return out;
}

}  // namespace assay
