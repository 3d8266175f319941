#include "assay/mechanisms/accounting/gdp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "assay/mechanisms/accounting/internal/smallest_double.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kLowest = std::numeric_limits<double>::lowest();
constexpr double kSmallest = std::numeric_limits<double>::denorm_min();
constexpr double kLargestRatio = 1e150;                // of eps/mu; log delta < -4e299 beyond
constexpr double kSqrtHalfPi = 1.2533141373155002512;  // sqrt(pi/2)
constexpr double kInverseSqrtTwoPi = 0.39894228040143267794;  // 1/sqrt(2 pi)

// A sum of two doubles that no double holds, |low| at most half an ulp of high.
struct Sum {
  double high = 0.0;
  double low = 0.0;
};

Sum two_sum(double x, double y) {
  const double high = x + y;
  const double part = high - x;
  return {high, (x - (high - part)) + (y - part)};
}

// x y exactly (Dekker); |x|, |y| and |x y| below 2^990, and no underflow.
Sum two_product(double x, double y) {
  constexpr double kSplit = 134217729.0;  // 2^27 + 1
  const double cx = kSplit * x;
  const double cy = kSplit * y;
  const double xh = cx - (cx - x);
  const double yh = cy - (cy - y);
  const double xl = x - xh;
  const double yl = y - yh;
  const double high = x * y;
  return {high, ((xh * yh - high) + xh * yl + xl * yh) + xl * yl};
}

// a = eps/mu - mu/2. The low part matters where the two terms nearly agree.
Sum lower_threshold(double mu, double eps, double t) {
  if (mu > 1e150 || eps > 1e290) return {t - 0.5 * mu, 0.0};
  const Sum product = two_product(t, mu);
  const double remainder = (eps - product.high) - product.low;
  const Sum a = two_sum(t, -0.5 * mu);
  return two_sum(a.high, a.low + remainder / mu);
}

// -a^2/2, the exponent of phi(a).
Sum density_exponent(Sum a) {
  if (std::fabs(a.high) > 1e140) return {-0.5 * a.high * a.high, 0.0};
  const Sum square = two_product(a.high, a.high);
  return two_sum(-0.5 * square.high, -0.5 * square.low - a.high * a.low);
}

// The moments k! J_k(0) = (k - 1)!!, times sqrt(pi/2) for even k.
constexpr std::size_t kMoments = 112;
constexpr std::array<double, kMoments> make_moments() {
  std::array<double, kMoments> moments{};
  moments[0] = kSqrtHalfPi;
  moments[1] = 1.0;
  for (std::size_t k = 2; k < kMoments; ++k) {
    moments[k] = static_cast<double>(k - 1) * moments[k - 2];
  }
  return moments;
}
constexpr std::array<double, kMoments> kMoment = make_moments();

// (5): k! J_k(x) by its Taylor series in x, for x < 1 and k <= 32. Loses five digits at x = 1, of
// which the recurrence (6) from k = 32 down to 1 leaves nothing.
double moment_series(std::size_t k, double x) {
  double sum = 0.0;
  double power = 1.0;  // (-x)^j / j!
  for (std::size_t j = 0; k + j < kMoments; ++j) {
    sum += power * kMoment[k + j];
    power *= -x / static_cast<double>(j + 1);
  }
  return sum;
}

// R(x).
double mills_ratio(double x) { return 1.0 / normal_hazard(x); }

// (R(t - h) - R(t + h))/h for 0 <= h <= max(1/2, t/4), by (4) and (6).
double mills_slope(double t, double h) {
  constexpr int kTaylorStart = 32;
  int k = kTaylorStart;
  double q = 0.0;  // q_k, k even
  if (t < 1.0) {
    q = moment_series(kTaylorStart, t) / (kTaylorStart * moment_series(kTaylorStart - 1, t));
  } else {
    // (6) forgets its start at the rate exp(-2 t sqrt(2 k)); the start is its own fixed point.
    k += 2 * static_cast<int>(100.0 / (t * t));
    q = 2.0 / (t + std::sqrt(t * t + 4.0 * (k + 1)));
  }
  double series = 1.0;  // Horner over pairs of terms of (4)
  for (; k > 2; k -= 2) {
    const double odd = 1.0 / (t + k * q);         // (6), q_(k-1)
    q = 1.0 / (t + (k - 1) * odd);                // (6), q_(k-2)
    series = 1.0 + (h * q) * (h * odd) * series;  // (4)
  }
  const double first = 1.0 / (t + 2.0 * q);
  const double ratio = 1.0 / (t + first);  // (6), J_0
  return 2.0 * ratio * first * series;     // (4)
}

// delta or 1 - delta as e^exponent factor scale / sqrt(2 pi).
struct GdpTerms {
  Sum exponent;
  double factor = 0.0;
  double scale = 1.0;
  bool is_complement = false;

  double value() const {
    if (exponent.high < -1000.0) return 0.0;
    return detail::exp_of_sum(exponent.high, exponent.low) * (factor * scale * kInverseSqrtTwoPi);
  }
};

// For 0 < mu < inf and finite eps/mu.
GdpTerms profile(double mu, double eps) {
  const double h = 0.5 * mu;
  const double t = eps / mu;
  const Sum a = lower_threshold(mu, eps, t);
  const Sum exponent = density_exponent(a);
  if (h > 0.5 && a.high < 0.0) {
    return {exponent, mills_ratio(-a.high) + mills_ratio(t + h), 1.0, true};  // (3)
  }
  if (h <= 0.5 || h <= 0.25 * t) return {exponent, mills_slope(t, h), h, false};  // (2) by (4)
  return {exponent, mills_ratio(a.high) - mills_ratio(t + h), 1.0, false};        // (2)
}

void check_arguments(double mu, double eps) {
  ASSAY_CHECK(mu >= 0.0, "mu must be in [0, inf]");
  ASSAY_CHECK(eps >= 0.0, "eps must be in [0, inf]");
  static_cast<void>(mu);
  static_cast<void>(eps);
}

double previous_double(double x) { return x > 0.0 ? std::nextafter(x, 0.0) : 0.0; }

// A target beyond which the true profile lies whenever the computed one does, and the opposite.
double deeper(double log_delta) { return log_delta * (1.0 + 2.0 * kGdpRelativeError); }
double shallower(double log_delta) { return log_delta * (1.0 - 2.0 * kGdpRelativeError); }

}  // namespace

double gdp_log_delta(Mu mu, Epsilon eps) {
  check_arguments(mu.value, eps.value);
  if (mu.value == 0.0) return -kInfinity;
  if (std::isinf(mu.value)) return 0.0;
  if (std::isinf(eps.value)) return -kInfinity;
  if (!(eps.value / mu.value < kLargestRatio)) return kLowest;
  const GdpTerms p = profile(mu.value, eps.value);
  if (p.is_complement) return std::min(portable_log1p(-p.value()), -kSmallest);
  const double factor = portable_log(p.factor * kInverseSqrtTwoPi) + portable_log(p.scale);
  return std::max(p.exponent.high + (p.exponent.low + factor), kLowest);
}

Delta gdp_delta(Mu mu, Epsilon eps) {
  check_arguments(mu.value, eps.value);
  if (mu.value == 0.0) return Delta{0.0};
  if (std::isinf(mu.value)) return Delta{1.0};
  if (!(eps.value / mu.value < kLargestRatio)) return Delta{0.0};
  const GdpTerms p = profile(mu.value, eps.value);
  return Delta{p.is_complement ? 1.0 - p.value() : p.value()};
}

Epsilon gdp_epsilon(Mu mu, double log_delta) {
  return Epsilon{detail::smallest_double(
      [&](double eps) { return std::isinf(eps) || gdp_log_delta(mu, Epsilon{eps}) <= log_delta; })};
}

Epsilon gdp_epsilon(Mu mu, Delta delta) { return gdp_epsilon(mu, portable_log(delta.value)); }

LowerBound<Epsilon> gdp_epsilon_lower(Mu mu, double log_delta) {
  return {Epsilon{previous_double(gdp_epsilon(mu, shallower(log_delta)).value)}};
}

UpperBound<Epsilon> gdp_epsilon_upper(Mu mu, double log_delta) {
  return {gdp_epsilon(mu, deeper(log_delta))};
}

Mu gdp_mu(Epsilon eps, double log_delta) {
  return Mu{detail::smallest_double(
      [&](double mu) { return std::isinf(mu) || gdp_log_delta(Mu{mu}, eps) >= log_delta; })};
}

Mu gdp_mu(Epsilon eps, Delta delta) { return gdp_mu(eps, portable_log(delta.value)); }

LowerBound<Mu> gdp_mu_lower(Epsilon eps, double log_delta) {
  return {Mu{previous_double(gdp_mu(eps, deeper(log_delta)).value)}};
}

UpperBound<Mu> gdp_mu_upper(Epsilon eps, double log_delta) {
  return {gdp_mu(eps, shallower(log_delta))};
}

double gdp_trade_off(Mu mu, double type_one) {
  return normal_cdf(normal_ccdf_quantile(type_one) - mu.value);  // (7)
}

Mu mu_from_event(double log_p, double log_q) {
  if (log_p == log_q) return Mu{0.0};
  return Mu{std::fabs(normal_quantile_from_log(log_p) - normal_quantile_from_log(log_q))};  // (8)
}

LowerBound<Mu> mu_from_event_lower(double log_p, double log_q) {
  if (log_p == log_q) return {Mu{0.0}};
  const double x = normal_quantile_from_log(log_p);
  const double y = normal_quantile_from_log(log_q);
  if (std::isinf(x) || std::isinf(y)) return {Mu{kInfinity}};
  const double mu = std::fabs(x - y) - 2.0 * (1e-13 * (std::fabs(x) + std::fabs(y)) + 1e-15);
  return {Mu{mu > 0.0 ? mu : 0.0}};
}

Mu compose_gdp(std::span<const Mu> parts) {
  double largest = 0.0;
  for (const Mu part : parts) largest = part.value > largest ? part.value : largest;
  if (largest == 0.0 || std::isinf(largest)) return Mu{largest};
  // A power of two near the largest part keeps the squares in range without a rounding error.
  int exponent = 0;
  static_cast<void>(std::frexp(largest, &exponent));
  Sum total;
  for (const Mu part : parts) {
    const double scaled = std::ldexp(part.value, -exponent);
    const Sum next = two_sum(total.high, scaled * scaled);
    total = {next.high, total.low + next.low};
  }
  return Mu{std::ldexp(std::sqrt(total.high + total.low), exponent)};
}

}  // namespace assay
