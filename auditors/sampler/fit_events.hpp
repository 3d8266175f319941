// The events on which samples are compared with a stated distribution, fixed before any sample is seen.
//
// Cells divide the line: at the quantiles j/64, at tail probabilities 1e-2, 1e-3, .., 1e-6 of both sides, and around
// every whole number of probability at least 1/128. Tails are half-lines, and both of them together, with about 1/4,
// 1/10, 1e-2, .., 1e-12 of the probability.
//
// With `rounded_to` = s > 0 a sample is any number within s of a draw X. The probability of an event is then only
// known to lie between two bounds:
//   P(low + s < X <= high - s) <= P(low < sample <= high) <= P(low - s < X <= high + s)             (1)
// Both bounds are moved outward by kStatedError of themselves. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/sampler/stated_distribution.hpp"

namespace assay {

struct FitEvent {
  enum class Kind { kCell, kLowerTail, kUpperTail, kBothTails };
  Kind kind = Kind::kCell;
  // A cell: low < sample <= high. A tail: sample <= low, or sample > high, or either.
  double low = 0.0, high = 0.0;
  double probability = 0.0;        // stated
  double least = 0.0, most = 1.0;  // bounds of it, by (1)
};

struct FitEvents {
  double rounded_to = 0.0;
  std::vector<FitEvent> cells;  // disjoint, ascending, over the whole line
  std::vector<FitEvent> tails;
  std::vector<double> classes;  // the inner ends of the classes of the test of order, at quartiles
};

inline constexpr double kLeastBodyCell = 1.0 / 150.0;  // the probability of a cell of the body

FitEvents fit_events(const StatedDistribution& stated, double rounded_to);

// P(event) for another distribution.
double probability_of(const FitEvent& event, const StatedDistribution& other);

}  // namespace assay
