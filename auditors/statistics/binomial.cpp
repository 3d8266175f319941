#include "assay/auditors/statistics/binomial.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

namespace detail {

double deviance(double x, double mu) {
  if (x == 0.0) return mu;
  if (!(mu > 0.0)) return std::numeric_limits<double>::infinity();
  const double d = x - mu;
  if (std::abs(d) < 0.1 * (x + mu)) {
    // log(x/mu) = 2 atanh(v), v = (x - mu)/(x + mu), with the leading terms summed explicitly.
    const double v = d / (x + mu);
    const double square = v * v;
    double sum = d * v;
    double term = 2.0 * x * v;
    for (int j = 1; j < 100; ++j) {
      term *= square;
      const double next = sum + term / (2 * j + 1);
      if (next == sum) break;
      sum = next;
    }
    return std::max(0.0, sum);
  }
  return x * portable_log(x / mu) - d;
}

namespace {

constexpr double kLogTwoPi = 1.8378770664093454836;

// S(k) of (1).
double stirling_error(double k) {
  static constexpr std::array<double, 16> kSmall = {0.0,
                                                    0.0810614667953272582196702,
                                                    0.0413406959554092940938221,
                                                    0.02767792568499833914878929,
                                                    0.02079067210376509311152277,
                                                    0.01664469118982119216319487,
                                                    0.01387612882307074799874573,
                                                    0.01189670994589177009505572,
                                                    0.010411265261972096497478567,
                                                    0.009255462182712732917728637,
                                                    0.008330563433362871256469318,
                                                    0.007573675487951840794972024,
                                                    0.006942840107209529865664152,
                                                    0.006408994188004207068439631,
                                                    0.005951370112758847735624416,
                                                    0.005554733551962801371038690};
  if (k < 16.0) return kSmall[static_cast<std::size_t>(k)];
  const double s = 1.0 / (k * k);
  return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - s / 1188) * s) * s) * s) / k;
}

// log of the tail that starts at k and leads away from the mean, k = 0..n: upward or downward.
double log_far_tail(std::int64_t k, std::int64_t n, double p, bool upward) {
  const double first = binomial_log_pmf(k, n, p);
  if (!(first > -kInfinity)) return first;
  const double odds = upward ? p / (1.0 - p) : (1.0 - p) / p;
  // Downward from k is upward from n - k with p and 1 - p exchanged.
  auto j = static_cast<double>(upward ? k : n - k);
  const auto end = static_cast<double>(n);
  double sum = 1.0, term = 1.0;
  for (; j < end; j += 1.0) {
    term *= (end - j) / (j + 1.0) * odds;  // (2)
    sum += term;
    if (term < sum * 0x1.0p-60) break;
  }
  return first + portable_log(sum);
}

}  // namespace
}  // namespace detail

double binomial_log_pmf(std::int64_t k, std::int64_t n, double p) {
  ASSAY_CHECK(n >= 1 && k >= 0 && k <= n, "a count lies between 0 and the number of trials");
  using detail::deviance;
  using detail::stirling_error;
  if (p <= 0.0) return k == 0 ? 0.0 : -kInfinity;
  if (p >= 1.0) return k == n ? 0.0 : -kInfinity;
  const auto x = static_cast<double>(k), size = static_cast<double>(n), rest = size - x;
  if (k == 0) return size * portable_log1p(-p);
  if (k == n) return size * portable_log(p);
  return stirling_error(size) - stirling_error(x) - stirling_error(rest) - deviance(x, size * p) -
         deviance(rest, size * (1.0 - p)) -
         0.5 * (detail::kLogTwoPi + portable_log(x) + portable_log(rest / size));  // (1)
}

double binomial_log_cdf(std::int64_t k, std::int64_t n, double p) {
  if (k < 0) return -kInfinity;
  if (k >= n || p <= 0.0) return 0.0;
  if (p >= 1.0) return -kInfinity;
  if (static_cast<double>(k) < static_cast<double>(n) * p) {
    return std::min(0.0, detail::log_far_tail(k, n, p, false));
  }
  return portable_log1p(-std::min(1.0, portable_exp(detail::log_far_tail(k + 1, n, p, true))));
}

double binomial_log_at_least(std::int64_t k, std::int64_t n, double p) {
  if (k > n) return -kInfinity;
  if (k <= 0 || p >= 1.0) return 0.0;
  if (p <= 0.0) return -kInfinity;
  if (static_cast<double>(k) > static_cast<double>(n) * p) {
    return std::min(0.0, detail::log_far_tail(k, n, p, true));
  }
  return portable_log1p(-std::min(1.0, portable_exp(detail::log_far_tail(k - 1, n, p, false))));
}

LowerBound<Probability> clopper_pearson_lower(std::int64_t k, std::int64_t n, double alpha) {
  ASSAY_CHECK(n >= 1 && k >= 0 && k <= n, "a count lies between 0 and the number of trials");
  ASSAY_CHECK(alpha > 0.0 && alpha < 1.0, "alpha must lie in (0, 1)");
  if (k == 0) return {{0.0}};
  const double target = portable_log(alpha * (1.0 - 2.0 * kBinomialRelativeError));
  // Newton's steps for log P(X >= k) in log p, inside a bracket.
  double low = 0.0, high = 1.0;
  double p = static_cast<double>(k) / static_cast<double>(n) * 0.9;
  for (int i = 0; i < 200; ++i) {
    const double log_tail = binomial_log_at_least(k, n, p);
    if (log_tail <= target) {
      low = p;
      if (target - log_tail < 1e-10) break;
    } else {
      high = p;
    }
    const double slope =
        static_cast<double>(k) * portable_exp(binomial_log_pmf(k, n, p) - log_tail);
    // Aimed slightly below the root, so that the last step ends on the safe side.
    double next = p * portable_exp(std::clamp((target - 5e-11 - log_tail) / slope, -30.0, 30.0));
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (!(next > low && next < high)) break;
    p = next;
  }
  return {{low}};
}

UpperBound<Probability> clopper_pearson_upper(std::int64_t k, std::int64_t n, double alpha) {
  if (k == n) return {{1.0}};
  const double mirrored = 1.0 - clopper_pearson_lower(n - k, n, alpha).value.value;
  return {{std::min(1.0, mirrored * (1.0 + kBinomialRelativeError) + 0x1.0p-52)}};
}

std::int64_t fewest_successes(std::int64_t n, double p, double alpha) {
  std::int64_t k = 0;
  while (k <= n && clopper_pearson_lower(k, n, alpha).value.value < p) ++k;
  return k;
}

}  // namespace assay
