#include "assay/auditors/methods/black_box/event_evidence.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/constants.hpp"

namespace assay {
namespace {

// The score of that rank; NaN for ranks below -infinity and above +infinity.
double score_of_rank(std::int64_t rank) {
  const std::int64_t bits = rank >= 0 ? rank : std::numeric_limits<std::int64_t>::min() - rank;
  return std::bit_cast<double>(bits);
}

// The finite values of both inputs.
std::vector<double> pooled(std::span<const double> a, std::span<const double> b) {
  std::vector<double> out;
  for (const auto side : {a, b}) {
    for (const double score : side) {
      if (std::isfinite(score)) out.push_back(score);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<double> edges_of(const std::vector<double>& sorted) {
  constexpr std::size_t kMostBins = 40;
  if (sorted.empty()) return {0.0, 1.0};
  const std::size_t tail = sorted.size() / 200;
  const double low = sorted[tail], high = sorted[sorted.size() - 1 - tail];
  const double width = high / 40.0 - low / 40.0;
  if (!(width > 0.0) || !std::isfinite(width)) return {low - 0.5, low + 0.5};
  std::vector<double> edges;
  for (std::size_t i = 0; i <= kMostBins; ++i) {
    edges.push_back(low + width * static_cast<double>(i));
  }
  return edges;
}

std::vector<double> shares(std::span<const double> scores, const std::vector<double>& edges) {
  const std::size_t bins = edges.size() - 1;
  std::vector<double> out(bins, 0.0);
  for (const double score : scores) {
    const auto above = std::upper_bound(edges.begin(), edges.end(), score) - edges.begin();
    const auto bin = score != score ? bins - 1
                                    : static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
                                          above - 1, 0, static_cast<std::ptrdiff_t>(bins) - 1));
    out[bin] += 1.0;
  }
  for (double& share : out) share /= static_cast<double>(std::max<std::size_t>(1, scores.size()));
  return out;
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
  out.scores.edges = edges_of(pooled(base_scores, neighbour_scores));
  out.scores.side_base = shares(base_scores, out.scores.edges);
  out.scores.side_neighbour = shares(neighbour_scores, out.scores.edges);
  return out;
}

}  // namespace assay
