// The event of a score with the highest value, by counts of runs that the score has not seen.
//
// Counts: how many runs on each input fall between cuts that were fixed before. Run i on D and run i on D' may share
// their random numbers, so that luck does not hide a difference that the inputs make. With p and q the
// probabilities of the event on P and Q, b that both runs of such a pair hit it, and delta the claim's,
// one pair estimates log((p - delta)/q) with variance
//     v = p/(p - delta)^2 + 1/q - 2 b/((p - delta) q) - (p/(p - delta) - 1)^2,               (0)
// and the value of an event is the lower bound that certification can be expected to show, less some standard
// errors of the estimate:
//     log((p - delta)/q) - width - doubt error.                                              (1)
//
// The best of thousands of half-lines looks better than it is, most of all the rare ones. Half-lines
// of one score are nested, and the steps d_i of r = log(p/q) from one to the next, rarer one are
// estimated nearly independently, with variances v_i = V_(i+1) - V_i, V = v/n by (0) at delta = 0. So r
// starts as counted where p is near 1/2, and each further step is shrunk by its prior,
//     r <- r + d_i t_i/(t_i + v_i),  var r <- var r + v_i t_i/(t_i + v_i),                     (2)
//     t_i = kGrowth^2 (r^2 + var r) log2(p_i/p_(i+1)), and the factor at least 1 - 9 v_i/d_i^2: (3)
// log ratios of mechanisms grow by a fraction of themselves as the event halves, and noise does not. A step
// is kept if its count is large or far beyond noise (an output that one input never gives), and the choice
// moves to a rarer event only if that adds evidence. With doubt 0, events are taken as counted. Intervals
// and their complements (for scores that ask for them) are too, with a doubt of at least one.
//
// Reference: Robbins, "An empirical Bayes approach to statistics" (1956), for shrinking by a prior
// that is about right. Nothing here can make a bound invalid.
// Threads: values; add() may be called from several.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "assay/auditors/methods/black_box/score.hpp"
#include "assay/auditors/methods/events.hpp"
#include "assay/auditors/statistics/class_weights.hpp"

namespace assay {

// (0), of one pair.
inline double pair_variance(double p, double q, double both, double delta = 0.0) {
  const double above = p - delta;
  const double scale = p / above;
  return scale / above + 1.0 / q - 2.0 * both / (above * q) - (scale - 1.0) * (scale - 1.0);
}

// The mean probability on the two inputs, of an event or of its complement.
inline double rarer_frequency(double p, double q) {
  const double mean = 0.5 * (p + q);
  return std::min(mean, 1.0 - mean);
}

// Intervals of a score that differ, for bets on all of them (class_weights.hpp): the class of a value is
// bin_of(cuts, value).
struct ScoreClasses {
  std::vector<std::int64_t> cuts;  // ranks
  ClassCounts counts;              // P: on the input that makes the event likelier
};

struct FoundEvent {
  std::shared_ptr<const OutputScore> score;
  SelectedEvent selected;  // q: shrunk; predicted: (1)
  double both = 0.0;       // probability that both runs of a pair hit the event
  bool never_on_q =
      false;  // no counted run on Q hit it, so that its ratio may be far higher than it seems
  ScoreClasses classes;  // of the score; only for the event that is finally chosen
};

// The outlook for certification of an event, and the doubt that reduces its value until then.
struct Outlook {
  double delta = 0.0;
  double doubt = 0.0;
  // The part of log((p - delta)/q), or of mu, that certification is expected to lose.
  std::function<double(double p, double q, double both)> width;
  bool gaussian =
      false;  // the value of an event is a lower bound of Phi^-1(p) - Phi^-1(q) instead of (1)
  double least_frequency = 0.0;  // rarer_frequency() of the events to choose from, at least
};

class CountedScore {
 public:
  CountedScore(std::shared_ptr<const OutputScore> score, std::vector<std::int64_t> cuts);
  CountedScore(CountedScore&& other) noexcept;  // not during counting

  const std::shared_ptr<const OutputScore>& score() const { return score_; }
  // Both inputs have the same number of runs.
  void add(const std::vector<double>& base_scores, const std::vector<double>& neighbour_scores);
  FoundEvent best(const Outlook& outlook) const;
  // About sixteen, by normal quantiles of the runs, with the event's own cuts.
  ScoreClasses classes(const SelectedEvent& event) const;

 private:
  void try_half_lines(const Outlook& outlook, FoundEvent& best) const;
  void try_intervals(const Outlook& outlook, FoundEvent& best) const;

  std::shared_ptr<const OutputScore> score_;
  std::vector<std::int64_t> cuts_;  // ranks
  std::array<std::vector<std::int64_t>, 2> counts_;
  // How many pairs have the smaller, or the larger, of their two bins here.
  std::vector<std::int64_t> smaller_, larger_;
  std::mutex counting_;
};

}  // namespace assay
