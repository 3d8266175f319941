// Events of scores, and the bounds that counts of one event give.
//
// Every run on either input has a score, a double (an output of the mechanism, or any function of a
// transcript). Scores are ordered as numbers with the infinities in their places, -0 = +0, and NaN
// as one value above +infinity, so "the output is NaN" is an event like any other. Events are closed
// intervals of that order, or their complements. A half-line is an interval, and a single value is an
// interval too, so ties need no randomisation. half_lines.hpp chooses the events.
//
// The score of a discrete output is the log ratio of its frequencies on both inputs, with 1/2 added to each
// count (CellScore). It is 0 if the output never occurred in the selection.
// Reference: Zanella-Beguelin et al. (ICML 2023) and Lu et al. (NeurIPS 2022) for event audits.
// Threads: pure functions and values. Same bits on every machine. Cost: one pass over the scores.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <span>

#include "assay/auditors/statistics/count_ordering.hpp"
#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

// The place of a score in the order: increasing, and equal exactly if two scores count as one value.
inline std::int64_t score_rank(double score) {
  if (score != score) return std::numeric_limits<std::int64_t>::max();
  const auto bits = std::bit_cast<std::int64_t>(score == 0.0 ? 0.0 : score);
  // Below zero the magnitude decreases.
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

// Which input's distribution is P in p <= e^eps q + delta.
enum class EventOrientation { kBaseAboveNeighbour, kNeighbourAboveBase };

// {low <= rank <= high}, or its complement.
struct ScoreEvent {
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool inside = true;
  bool contains(double score) const {
    const std::int64_t rank = score_rank(score);
    return (rank >= low && rank <= high) == inside;
  }
};

enum class EventClass { kHalfLines, kIntervals };

struct SelectedEvent {
  ScoreEvent event;
  EventOrientation orientation = EventOrientation::kBaseAboveNeighbour;
  double p = 0.0, q = 0.0;  // probabilities on P and Q, as the selection estimates them
  double predicted = 0.0;   // half_lines.hpp, (1)

  static auto byte_fields(auto& self) {
    return std::tie(self.event.low, self.event.high, self.event.inside, self.orientation, self.p,
                    self.q, self.predicted);
  }
};

// Counts the hits of the event. The hits and runs on P come first.
EventCounts count_event(const SelectedEvent& selected, std::span<const double> base_scores,
                        std::span<const double> neighbour_scores);

// The smallest eps' for which the exact test of n + m runs refutes the claim with probability at
// least `power`, when the event has probabilities e^eps' q + delta and q, whose mean is `frequency`
// (at most 1/2); infinite if none does. Cost: 14 powers (exact_test.hpp).
Epsilon smallest_visible_epsilon(Epsilon claimed, Delta delta, double frequency, std::int64_t n,
                                 std::int64_t m, double alpha, double power);

// A score for discrete outputs, learnt from the part of the runs on each input that selects the event.
class CellScore {
 public:
  CellScore(std::span<const std::int64_t> base_cells,
            std::span<const std::int64_t> neighbour_cells);
  double operator()(std::int64_t cell) const;

 private:
  std::map<std::int64_t, double> scores_;
};

}  // namespace assay
