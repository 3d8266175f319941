// The event method: black-box lower bounds from how often one event happens on each side.
//
// Every run on either side has a score, a double (an output of the mechanism, or any function of a
// transcript). Scores are ordered as numbers with the infinities in their places, -0 = +0, and NaN
// as one value above +infinity: "the output is NaN" is an event like any other. Events are
// intervals of that order, with both ends, or their complements; a half-line is an interval, and an
// atom an interval of one value, so ties need no randomisation.
//
// Fixed samples. The first part of each side's scores selects: orientation (which side
// is P) and event with the largest predicted lower bound, for p, q the smoothed
// frequencies and n, m the runs left,
//     log((p - delta)/q) - z_alpha sqrt((1 - p) p/(n (p - delta)^2) + (1 - q)/(m q)),        (1)
// less, for intervals, one such root with the sizes of the selection part: among thousands of
// candidates the best looks better than it is.
// The rest certifies that one event by the exact test (exact_test.hpp): its bound holds with
// probability at least 1 - alpha whatever the selection did, as the parts are disjoint. Runs must
// be independent of each other and between the sides.
//
// Sequential. Scores come in pairs; before each pair the event and the orientation are functions of
// the pairs before it, chosen again whenever their number has grown by a half, for the largest
//     (p - e^eps q - delta)/sqrt(p (1 - p) + e^(2 eps) q (1 - q));                           (2)
// pair_betting.hpp bets. Valid at any stopping time, with any dependence inside a pair.
//
// Discrete outputs are scored by the log ratio of their add-1/2 frequencies (CellScore), a cell
// that the selection never saw by 0.
// Reference: Zanella-Beguelin et al. (ICML 2023) and Lu et al. (NeurIPS 2022) for event audits.
// Threads: pure functions and values. Same bits on every machine. Cost: sorting, and the test.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "assay/auditors/statistics/exact_test.hpp"
#include "assay/auditors/statistics/pair_betting.hpp"
#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// The place of a score in the order: increasing, equal exactly for scores that count as one value.
inline std::int64_t score_rank(double score) {
  if (score != score) return std::numeric_limits<std::int64_t>::max();
  const auto bits = std::bit_cast<std::int64_t>(score == 0.0 ? 0.0 : score);
  // Below zero the magnitude decreases.
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

// Which side is P in p <= e^eps q + delta.
enum class EventOrientation { kOldAboveNew, kNewAboveOld };

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

struct EventPlan {
  double alpha = 0.05;
  Delta delta{0.0};
  double selection_share = 0.2;  // of each side's scores, in (0, 1)
  EventClass events = EventClass::kHalfLines;
  std::optional<EventOrientation> orientation;  // fixed beforehand; otherwise selected
};

struct SelectedEvent {
  ScoreEvent event;
  EventOrientation orientation = EventOrientation::kOldAboveNew;
  double p = 0.0, q = 0.0;  // smoothed frequencies in the selection part
  double predicted = 0.0;   // (1) or (2)
};

struct EventEvidence {
  SelectedEvent selected;
  EventCounts counts;  // of the certification part
  double alpha = 0.0;  // spent
  LowerBound<Epsilon> epsilon;
  std::int64_t selection_runs = 0;  // of both sides
};

// (1), for a certification part of n and m runs.
SelectedEvent select_event(std::span<const double> old_scores, std::span<const double> new_scores,
                           const EventPlan& plan, std::int64_t old_left, std::int64_t new_left);

EventCounts count_event(const SelectedEvent& selected, std::span<const double> old_scores,
                        std::span<const double> new_scores);

// Selects on the first part of the scores and certifies on the rest. Errors: fewer than 10 scores
// on a side, alpha, delta or the share outside their range.
Result<EventEvidence> audit_scores(std::span<const double> old_scores,
                                   std::span<const double> new_scores, const EventPlan& plan);

// The smallest eps' for which the exact test of n + m runs refutes the claim with probability at
// least `power`, when the event has probability q and e^eps' q + delta; infinite if none below
// probability 1 does. Cost: 12 powers (exact_test.hpp).
Epsilon smallest_visible_epsilon(Epsilon claimed, Delta delta, double q, std::int64_t n,
                                 std::int64_t m, double alpha, double power);

// A score for discrete outputs, learnt from the selection part of each side.
class CellScore {
 public:
  CellScore(std::span<const std::int64_t> old_cells, std::span<const std::int64_t> new_cells);
  double operator()(std::int64_t cell) const;

 private:
  std::map<std::int64_t, double> scores_;
};

// The sequential audit of one claim.
class SequentialEventAudit {
 public:
  struct Plan {
    double alpha = 0.05;
    std::int64_t horizon = 1000;  // planned pairs; the audit may go on and may stop earlier
    EventClass events = EventClass::kIntervals;
    PairBets bets = PairBets::kBoth;
  };
  // Errors: those of PairBettingTest.
  static Result<SequentialEventAudit> create(Epsilon epsilon, Delta delta, const Plan& plan);

  // One run of each side. Returns whether the claim is refuted by now.
  bool observe(double old_score, double new_score);

  bool refuted() const { return test_.certified(); }
  std::int64_t pairs() const { return static_cast<std::int64_t>(old_.size()); }
  const std::optional<SelectedEvent>& event() const { return event_; }
  const PairBettingTest& test() const { return test_; }

 private:
  SequentialEventAudit(const PairBettingTest& test, Epsilon epsilon, Delta delta, const Plan& plan)
      : test_(test), epsilon_(epsilon), delta_(delta), plan_(plan) {}

  PairBettingTest test_;
  Epsilon epsilon_;
  Delta delta_;
  Plan plan_;
  std::vector<double> old_, new_;
  std::optional<SelectedEvent> event_;
  std::int64_t next_choice_ = 8;
};

}  // namespace assay
