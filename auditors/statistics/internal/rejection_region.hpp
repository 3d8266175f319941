// Bounds the probability of a monotone region of two binomial counts along the boundary of a claim, by
// equations (2) to (4) of docs/proofs/exact_test.md.
//
// Threads: one object per thread (it keeps its buffers). Cost: a few ns for each count within six
// standard deviations, per point.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/statistics/count_ordering.hpp"

namespace assay::detail {

class RejectionRegion {
 public:
  // Contains {T >= t}, T the given ordering, t > 0; for q in [q_low, q_high] and p within the range of
  // `null` over it. `level` sets the accuracy: 1e-6 of it.
  RejectionRegion(const CountOrdering& ordering, double t, const EventCounts& counts,
                  const ClaimBoundary& null, double q_low, double q_high, double level);

  // Whether max over [q_low, q_high] of pi(h(q), q) is certified to be at most the level. `first` is the point
  // at which to look first for a value above it.
  bool stays_below(double first);

  // The largest value seen so far; an estimate of the maximum after a complete search.
  double largest_seen() const { return largest_; }

 private:
  struct Line {  // p = value + slope (q - at)
    double at, value, slope;
    double operator()(double q) const { return value + slope * (q - at); }
  };
  struct Piece {
    double low, high;
  };
  enum class Outcome { kBelow, kAbove, kOpen };

  void find_critical_counts(const CountOrdering& ordering, double t);
  double probability(double p, double q);  // an upper bound, off by at most 3e-6 level
  Outcome interpolate(const Piece& piece);
  bool tangent_is_close(const Piece& piece, const Line& line) const;
  double log_growth(const Piece& piece, const Line& line, double rho) const;

  ClaimBoundary null_;
  double n_, m_;
  double q_low_, q_high_, level_, tail_;
  // Windows of counts that matter for some point. In them: (count left)/(count + 1) for the
  // recursion of the distribution, and the smallest x of the region for each y (x_end_ if there is none).
  std::int64_t x_first_, x_last_, y_first_, y_last_;
  std::vector<double> x_ratio_, x_inverse_, y_ratio_, y_inverse_;
  std::vector<std::int64_t> smallest_x_;
  std::vector<double> x_tail_;  // P(X >= x) up to a factor, in probability()
  double largest_ = 0.0;
};

// Whether (5) rejects all claims from `easiest` to `hardest`. Sets `seen` to the largest
// probability seen. level = alpha - gamma; [q_low, q_high] = C(y).
bool rejects_block(const EventCounts& counts, double level, double q_low, double q_high,
                   const ClaimBoundary& easiest, const ClaimBoundary& hardest, double& seen);

}  // namespace assay::detail
