#include "assay/mechanisms/numerics/normal.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/internal/normal_tables.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::kCentreTable;
using detail::kMillsTable;

constexpr double kLogSqrt2Pi = 0.91893853320467274178;
constexpr double kSqrt2 = 1.41421356237309504880;
constexpr double kLogQuarter = -1.38629436111989061883;
constexpr double kLogThreeQuarters = -0.28768207245178092744;
constexpr double kLog2High = 0x1.62e42fefa39efp-1;  // log 2 = high + low
constexpr double kLog2Low = 0x1.abc9e3b39803fp-56;

// R(x) = Q(x)/phi(x), x >= 0, not NaN.
double mills_ratio(double x) {
  const double inverse = 1.0 / (x + 4.0);
  const double position = inverse * 256.0;  // 64 t
  const int cell = std::min(static_cast<int>(position), 63);
  const double u = position - (cell + 0.5);
  const double* c = kMillsTable[cell];
  const double u2 = u * u;
  const double u4 = u2 * u2;
  const double low = (c[0] + u * c[1]) + u2 * (c[2] + u * c[3]);
  const double high = (c[4] + u * c[5]) + u2 * (c[6] + u * c[7]);
  return (low + u4 * high) * inverse;  // (1)
}

// high + low = x^2 exactly (Veltkamp and Dekker), |x| < 1e150.
struct Square {
  double high;
  double low;
};

Square exact_square(double x) {
  const double scaled = 0x1.0000002p27 * x;
  const double head = scaled - (scaled - x);
  const double tail = x - head;
  const double high = x * x;
  return {high, ((head * head - high) + 2.0 * head * tail) + tail * tail};
}

double density(double x) {
  if (std::abs(x) > 39.0) return 0.0;
  const auto square = exact_square(x);
  return kInverseSqrt2Pi * detail::exp_of_sum(-0.5 * square.high, -0.5 * square.low);
}

// Q(x), x >= 0 or NaN.
double upper_tail(double x) {
  if (x < 37.0) return density(x) * mills_ratio(x);
  if (!(x < 39.0)) return x != x ? x : 0.0;
  // phi is subnormal here: keep every factor normal and round once, in the last product.
  const auto square = exact_square(x);
  const double root = detail::exp_of_sum(-0.25 * square.high, -0.25 * square.low);
  return root * kInverseSqrt2Pi * mills_ratio(x) * root;
}

// log Q(x), x >= 0, not NaN.
double log_upper_tail(double x) {
  return (portable_log(mills_ratio(x)) - kLogSqrt2Pi) - (0.5 * x) * x;  // (2)
}

// x with Q(x) = 1/2 - d, |d| <= 1/4.
double central_quantile(double d) {
  const double v = 32.0 * (d * d) - 1.0;
  double sum = 0.0;
  for (int k = static_cast<int>(std::size(kCentreTable)) - 1; k >= 0; --k) {
    sum = sum * v + kCentreTable[k];
  }
  return d * sum;  // (3)
}

// x with log Q(x) = log_q, log_q <= log(1/4).
double tail_quantile(double log_q) {
  const double y = std::sqrt(-log_q) * kSqrt2;
  if (log_q < -1e20) return y;  // x = y (1 - O(log y / y^2))
  double x = y - (portable_log(y) + kLogSqrt2Pi) / y;
  for (int step = 0; step < 6; ++step) {
    const double mills = mills_ratio(x);
    const double g = log_upper_tail(x) - log_q;
    const double move = g * mills / (1.0 + 0.5 * g * (1.0 - x * mills));  // (4)
    x += move;
    if (std::abs(move) <= 1e-6 * x) break;  // cubic: the next move is below an ulp
  }
  return x;
}

}  // namespace

double normal_log_pdf(double x) { return -(0.5 * x) * x - kLogSqrt2Pi; }

double normal_cdf(double x) { return normal_ccdf(-x); }

double normal_ccdf(double x) { return x < 0.0 ? 1.0 - upper_tail(-x) : upper_tail(x); }

double normal_log_cdf(double x) { return normal_log_ccdf(-x); }

double normal_log_ccdf(double x) {
  if (x < 0.0) return portable_log1p(-upper_tail(-x));  // (2)
  return x != x ? x : log_upper_tail(x);
}

double normal_hazard(double x) {
  if (x < 0.0) return density(x) / (1.0 - upper_tail(-x));
  if (!(x < 1e9)) return x;  // x < hazard < x + 1/x
  return 1.0 / mills_ratio(x);
}

double normal_quantile(double p) { return -normal_ccdf_quantile(p); }

double normal_ccdf_quantile(double q) {
  if (!(q >= 0.0 && q <= 1.0)) return kNaN;
  if (q == 0.0) return kInfinity;
  if (q == 1.0) return -kInfinity;
  if (q < 0.25) return tail_quantile(portable_log(q));
  if (q > 0.75) return -tail_quantile(portable_log(1.0 - q));  // 1 - q is exact
  return central_quantile(0.5 - q);                            // exact
}

double normal_quantile_from_log(double lp) {
  if (!(lp <= 0.0)) return kNaN;
  if (lp == 0.0) return kInfinity;
  if (lp == -kInfinity) return -kInfinity;
  if (lp < kLogQuarter) return -tail_quantile(lp);
  if (lp > kLogThreeQuarters) return tail_quantile(portable_log(-portable_expm1(lp)));
  // 1/2 - e^lp = -expm1(lp + log 2)/2, without the cancellation near 1/2.
  return -central_quantile(-0.5 * portable_expm1((lp + kLog2High) + kLog2Low));
}

}  // namespace assay
