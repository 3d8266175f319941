// What the losses of privacy_loss.cpp and sampled_loss.cpp share: normal outcomes, and the likelihood ratio on a sample.
#pragma once

#include <algorithm>
#include <limits>

#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {

inline constexpr double kLogSqrtTwoPi = 0.91893853320467274178;

// log P of a standard normal outcome; its argument is of magnitude at most 40.
inline double normal_log_density(double x) { return -0.5 * x * x - kLogSqrtTwoPi; }

// The quadrature error at 6 points a panel of width w deviations, relative to the density at z:
// w^12 (6!)^4/(13 (12!)^3) |He_12(z)| <= 1.9e-16 (w (|z| + sqrt(12)))^12, below u/8 where the
// bracket is at most 3/4; at 3 points 5.0e-7 (w (|z| + sqrt(6)))^6, below u/8 there/50; at 12 points
// 8.8e-39 (w (|z| + sqrt(24)))^24, below u/8 up to 9 times that.
inline double normal_panel(double furthest) { return 0.75 / (furthest + 3.5); }

struct NormalRange {
  double edge;  // outcomes in [-edge, edge], in standard deviations
  double mass;  // beyond either end, rounded up
};

inline double upper_tail(double x) { return normal_ccdf(x) * (1.0 + 1e-12); }
inline double lower_tail(double x) { return normal_ccdf(-x) * (1.0 + 1e-12); }

inline NormalRange normal_range(double log_tail) {
  const double edge = -normal_quantile_from_log(log_tail);
  return {edge, upper_tail(edge)};
}

// log(1 - q + q e^t) without cancellation; kept finite for large t.
inline double mixed_log_ratio(double q, double t) {
  if (t <= 30.0) return portable_log1p(q * portable_expm1(t));
  return t + portable_log(q) + portable_log1p((1.0 - q) / q * portable_exp(-t));
}

// The t of a mixed_log_ratio; -infinity for ratios that none has.
inline double unmixed_log_ratio(double q, double log_ratio) {
  const double lifted = portable_expm1(log_ratio) + q;
  if (lifted <= 0.0) return -std::numeric_limits<double>::infinity();
  return log_ratio > 700.0 ? log_ratio - portable_log(q) : portable_log(lifted / q);
}

}  // namespace assay::detail
