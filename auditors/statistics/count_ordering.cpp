#include "assay/auditors/statistics/count_ordering.hpp"

#include <algorithm>
#include <cmath>

#include "assay/auditors/statistics/binomial.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {

// ------------------------------------------------------------------------------- h

ClaimBoundary ClaimBoundary::approximate(double epsilon, double delta) {
  ClaimBoundary h;
  h.slope_ = portable_exp(epsilon);
  h.delta_ = delta;
  return h;
}

ClaimBoundary ClaimBoundary::gaussian(double mu) {
  ClaimBoundary h;
  h.affine_ = false;
  h.mu_ = mu;
  return h;
}

double ClaimBoundary::operator()(double q) const {
  if (affine_) return std::min(1.0, slope_ * q + delta_);  // (1)
  return normal_cdf(normal_quantile(q) + mu_);             // (2)
}

double ClaimBoundary::inverse(double p) const {
  if (affine_) return std::max(0.0, (p - delta_) / slope_);
  return normal_cdf(normal_quantile(p) - mu_);
}

double ClaimBoundary::split(double frequency) const {
  const double both = 2.0 * frequency;
  if (affine_) return std::max(0.0, (both - delta_) / (1.0 + slope_));
  double low = 0.0, high = frequency;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    ((*this)(middle) + middle < both ? low : high) = middle;
  }
  return low;
}

double ClaimBoundary::derivative(double q) const {
  if (affine_) return slope_;
  const double z = normal_quantile(q);
  return portable_exp(-mu_ * (z + 0.5 * mu_));
}

// ------------------------------------------------------------------------------- T

CountOrdering::CountOrdering(const ClaimBoundary& h, std::int64_t n, std::int64_t m)
    : h_(h), n_(static_cast<double>(n)), m_(static_cast<double>(m) + 1.0) {}

// The zero of the decreasing derivative of the log likelihood along p = slope q + delta.
double CountOrdering::root_affine(double x, double y, double low, double high) const {
  const double c = h_.slope(), misses_x = n_ - x, misses_y = m_ - y;
  // The minimum of the quadratic approximation of G.
  const double target = (low + high) / 2.0;
  const double p = h_(target);
  const double weight_p = c * c * n_ / std::max(1e-300, p * std::max(1e-12, 1.0 - p));
  const double weight_q = m_ / std::max(1e-300, target * std::max(1e-12, 1.0 - target));
  double q = (weight_p * high + weight_q * low) / (weight_p + weight_q);
  for (int i = 0; i < 200; ++i) {
    if (!(q > low && q < high)) q = low + 0.5 * (high - low);
    if (!(q > low && q < high)) break;
    const double at = h_(q);
    const double a = c * x / at, b = misses_x > 0.0 ? c * misses_x / (1.0 - at) : 0.0;
    const double d = y / q, e = misses_y / (1.0 - q);
    const double gradient = a - b + d - e;
    if (gradient > 0.0) {
      low = q;
    } else {
      high = q;
    }
    const double curvature =
        c * a / at + (misses_x > 0.0 ? c * b / (1.0 - at) : 0.0) + d / q + e / (1.0 - q);
    const double step = gradient / curvature;
    q += step;
    if (std::abs(step) < 1e-10 * q) break;
  }
  return std::clamp(q, low, high);
}

// The same along z -> (Phi(z + mu), Phi(z)), where the log likelihood is concave in z.
double CountOrdering::root_gaussian(double x, double y, double low, double high) const {
  const double mu = h_.mu(), misses_x = n_ - x, misses_y = m_ - y;
  double z = 0.5 * (low + high);
  for (int i = 0; i < 200; ++i) {
    if (!(z > low && z < high)) z = low + 0.5 * (high - low);
    if (!(z > low && z < high)) break;
    const double w = z + mu;
    const double a = normal_hazard(-w), b = normal_hazard(w);
    const double d = normal_hazard(-z), e = normal_hazard(z);
    const double gradient = x * a - misses_x * b + y * d - misses_y * e;
    if (gradient > 0.0) {
      low = z;
    } else {
      high = z;
    }
    const double curvature =
        x * a * (a + w) + misses_x * b * (b - w) + y * d * (d + z) + misses_y * e * (e - z);
    const double step = gradient / curvature;
    z += step;
    if (std::abs(step) < 1e-10) break;
  }
  return std::clamp(z, low, high);
}

double CountOrdering::nearest_null(double x, double y) const {
  const double hits = y + 0.5;
  const double low = hits / m_, high = std::min(1.0, h_.inverse(x / n_));
  if (h_.affine()) return root_affine(x, hits, low, high);
  const double top = x < n_ ? normal_quantile(x / n_) - h_.mu() : 40.0;
  return normal_cdf(root_gaussian(x, hits, normal_quantile(low), top));
}

double CountOrdering::operator()(double x, double y) const {
  const double hits = y + 0.5;
  if (!(x / n_ > h_(hits / m_))) return 0.0;
  return root_at(x, hits, nearest_null(x, y));
}

double CountOrdering::root_at(double x, double hits, double q) const {
  const double p = h_(q);
  // n kl(x/n, p) is the sum of two deviances, both nonnegative.
  const double g = deviance(x, n_ * p) + deviance(n_ - x, n_ * (1.0 - p)) + deviance(hits, m_ * q) +
                   deviance(m_ - hits, m_ * (1.0 - q));
  return std::sqrt(2.0 * g);  // (3)
}

double CountOrdering::critical(double x, double t, double guess) const {
  constexpr double kBelowZero = -1e-6;
  if (!((*this)(x, 0.0) >= t)) return kBelowZero;
  double low = 0.0;  // T >= t
  double high = std::min(m_ - 1.0, m_ * h_.inverse(x / n_) - 0.5);
  if (!(high > low)) return 0.0;
  if ((*this)(x, high) >= t) return high;
  double y = guess;
  for (int i = 0; i < 100 && high - low > 1e-7 * (1.0 + high); ++i) {
    if (!(y > low && y < high)) y = 0.5 * (low + high);
    if (!(y > low && y < high)) break;
    const double mean = (y + 0.5) / m_;
    if (!(x / n_ > h_(mean))) {
      high = y;
      y = 0.5 * (low + high);
      continue;
    }
    const double q = nearest_null(x, y);
    const double value = root_at(x, y + 0.5, q);
    (value >= t ? low : high) = y;
    const double slope = portable_log(mean / q) - portable_log((1.0 - mean) / (1.0 - q));
    const double step = slope < 0.0 ? (t - value) * value / slope : 0.0;
    // A step near the root goes slightly too far, to close the bracket from above.
    const double beyond = 2e-8 * (1.0 + y);
    y += std::abs(step) < 1e-4 * (1.0 + y) ? step + (value >= t ? beyond : -beyond) : step;
  }
  return high;  // (4)
}

}  // namespace assay::detail
