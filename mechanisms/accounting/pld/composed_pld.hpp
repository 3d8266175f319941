// The privacy profile of a composition, between two bounds.
//
//   delta(eps) is within sum over l_i > eps of p_i (1 - e^(eps - l_i)), taken from below and from
//   above, -+ c_t e^(S - t eps) unlocated, + mass at infinity                                  (1)
// (tilted_pld.hpp), at eps -+ loss_error. The sums are kept at the grid points, scaled by
// e^(t l - S):
//   T_j = nu_j + e^(-t h) T_(j+1)                      mass at or above l_j                    (2)
//   D_(j-1) = e^(-t h) ((1 - e^(-h)) T_j + e^(-h) D_j)                                         (3)
// All terms are positive. Between grid points (3) with the distance to l_j instead of h is exact.
//
// Accuracy: bounds hold for every eps >= 0. They are tight around the eps of the composition; far
// from it `unlocated` weighs more.
// Threads: a value, read-only. Cost: 0.1 us a delta, 20 us an epsilon.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

namespace detail {
struct TiltedPld;
}

// Natural logarithms of bounds on delta; -inf is the log of zero.
struct LogDeltaBounds {
  double lower = 0.0;
  double upper = 0.0;
};

class ComposedPld {
 public:
  // Makes it from the composed finite losses and the bounds on the mass at infinity. The losses are those of `finite`
  // plus an offset, right to a few roundings.
  ComposedPld(const detail::TiltedPld& finite, double lower_at_infinity, double upper_at_infinity,
              double offset = 0.0);

  // Precondition: eps >= 0, no NaN.
  LogDeltaBounds log_delta(Epsilon eps) const;
  Interval<Delta> delta(Epsilon eps) const;
  // The smallest eps >= 0 with delta(eps) <= e^log_delta, between two bounds; the upper one is
  // infinite where the mass at infinity, or the unlocated mass, exceeds it. log_delta < 0.
  Interval<Epsilon> epsilon(double log_delta) const;
  Interval<Epsilon> epsilon(Delta delta) const;

  // The route of the answer, for reports.
  double step() const { return step_; }
  std::size_t points() const { return lower_.mass.size(); }
  double tilt() const { return tilt_; }
  double unlocated() const { return unlocated_; }

 private:
  struct Side {
    std::vector<double> mass;     // T_j
    std::vector<double> profile;  // D_j
  };
  Side side_of(const std::vector<double>& masses) const;
  double scaled_profile(const Side& side, double eps) const;  // e^(t eps - S) D(eps)
  double log_bound(double scaled, double eps) const;
  double largest_certified(double log_target, double upper) const;

  double step_;
  std::int64_t lowest_;
  double tilt_;
  double log_scale_;
  double scale_error_;
  double unlocated_;  // times c_t
  double loss_error_;
  double offset_;
  double lower_at_infinity_;
  double upper_at_infinity_;
  Side lower_;
  Side upper_;
};

}  // namespace assay
