#include "assay/auditors/methods/events.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "assay/auditors/statistics/exact_test.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

EventCounts count_event(const SelectedEvent& selected, std::span<const double> base_scores,
                        std::span<const double> neighbour_scores) {
  const auto hits = [&](std::span<const double> scores) {
    return static_cast<std::int64_t>(std::count_if(scores.begin(), scores.end(), [&](double score) {
      return selected.event.contains(score);
    }));
  };
  const auto base_runs = static_cast<std::int64_t>(base_scores.size());
  const auto neighbour_runs = static_cast<std::int64_t>(neighbour_scores.size());
  if (selected.orientation == EventOrientation::kBaseAboveNeighbour) {
    return {hits(base_scores), base_runs, hits(neighbour_scores), neighbour_runs};
  }
  return {hits(neighbour_scores), neighbour_runs, hits(base_scores), base_runs};
}

Epsilon smallest_visible_epsilon(Epsilon claimed, Delta delta, double frequency, std::int64_t n,
                                 std::int64_t m, double alpha, double power) {
  constexpr double kHighest = 40.0;  // above the claim: q is then 0 for every purpose
  const auto seen = [&](double epsilon) {
    const double q = detail::ClaimBoundary::approximate(epsilon, delta.value).split(frequency);
    return q > 0.0 &&
           exact_test_power(n, m, alpha, claimed, delta, 2.0 * frequency - q, q) >= power;
  };
  double low = claimed.value, high = claimed.value + kHighest;
  if (!seen(high)) return Epsilon{std::numeric_limits<double>::infinity()};
  for (int i = 0; i < 13; ++i) {
    const double middle = 0.5 * (low + high);
    (seen(middle) ? high : low) = middle;
  }
  return Epsilon{high};
}

CellScore::CellScore(std::span<const std::int64_t> base_cells,
                     std::span<const std::int64_t> neighbour_cells) {
  std::map<std::int64_t, std::pair<double, double>> counts;
  for (const auto cell : base_cells) counts[cell].first += 1.0;
  for (const auto cell : neighbour_cells) counts[cell].second += 1.0;
  const double scale = portable_log((static_cast<double>(neighbour_cells.size()) + 1.0) /
                                    (static_cast<double>(base_cells.size()) + 1.0));
  for (const auto& [cell, count] : counts) {
    scores_[cell] = portable_log((count.first + 0.5) / (count.second + 0.5)) + scale;
  }
}

double CellScore::operator()(std::int64_t cell) const {
  const auto found = scores_.find(cell);
  return found == scores_.end() ? 0.0 : found->second;
}

}  // namespace assay
