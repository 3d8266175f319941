#include "assay/mechanisms/numerics/portable_math.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/internal/portable_log_constants.hpp"
#include "assay/mechanisms/numerics/internal/portable_math_tables.hpp"

namespace assay {
namespace {

using detail::kExpTable;
using detail::kLog2High;
using detail::kLog2Low;
using detail::kLogOffset;
using detail::kLogTable;

// Multiples of 2^-42, so that products with the integers below are exact.
constexpr double kStepHigh = 0x1.62e42fefcp-8;  // log(2)/128
constexpr double kStepLow = -0x1.c610ca86c3899p-44;
constexpr double kStepsPerUnit = 0x1.71547652b82fep+7;
constexpr double kRoundToInteger = 0x1.8p52;  // x + this - this is x to the nearest integer

// e^x = 2^exponent (head + tail), head = 2^(j/128).
struct ExpParts {
  std::int64_t exponent;
  double head;
  double tail;
};

// |high| <= 750.
inline ExpParts exp_parts(double high, double low) {
  const double shifted = high * kStepsPerUnit + kRoundToInteger;
  const double steps = shifted - kRoundToInteger;
  const auto k =
      std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(kRoundToInteger);
  const double r = (high - steps * kStepHigh) - (steps * kStepLow - low);
  const double r2 = r * r;
  const double p = r + r2 * ((0.5 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0)));
  const auto& cell = kExpTable[k & 127];
  return {k >> 7, cell.high, cell.low + cell.high * p};  // (1)
}

// value 2^exponent for a result in the normal range.
inline double scale_normal(double value, std::int64_t exponent) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) +
                               (static_cast<std::uint64_t>(exponent) << 52));
}

// value 2^exponent, value in [1/2, 2], exponent in
// [-1100, 1024]; overflows and underflows as it must.
inline double scale_any(double value, std::int64_t exponent) {
  const std::int64_t half = exponent / 2;
  return value * scale_normal(1.0, half) * scale_normal(1.0, exponent - half);
}

// log of 2^exponent (z + z_low), where the bits of z lie in the range of the table.
template <bool kWithLow>
inline double log_of_parts(std::int64_t exponent, std::uint64_t z_bits, double z_low) {
  const auto& cell = kLogTable[((z_bits - kLogOffset) >> 45) & 127];
  const double z = std::bit_cast<double>(z_bits);
  // Rounded, not cut, so that it is 1 wherever z is
  // within 2^-22 of 1 and r is then the argument itself.
  const double z_head = std::bit_cast<double>((z_bits + 0x80000000u) & 0xFFFFFFFF00000000u);
  const double r_head = z_head * cell.inverse - 1.0;  // exact: 21 + 10 bits
  const double r_tail = (z - z_head) * cell.inverse;  // exact
  double r = r_head + r_tail;
  double r_error = r_tail - (r - r_head);
  if constexpr (kWithLow) {  // r + r_error keeps the argument of log1p where it is all there is
    const double rounded = r;
    r_error += z_low * cell.inverse;
    r += r_error;
    r_error -= r - rounded;
  }

  const double e = static_cast<double>(exponent);
  const double whole = e * kLog2High + cell.log_high;  // exact, and 0 or larger than |r|
  const double head = whole + r;
  const double head_error = (whole - head) + r;
  const double r2 = r * r;
  const double series =
      (-1.0 / 2 + r * (1.0 / 3)) +
      r2 * ((-1.0 / 4 + r * (1.0 / 5)) + r2 * ((-1.0 / 6 + r * (1.0 / 7)) - r2 * (1.0 / 8)));
  const double small = (e * kLog2Low + cell.log_low) + r_error;
  return head + (head_error + (small + r2 * series));  // (2)
}

struct Scaled {
  std::int64_t exponent;
  std::uint64_t bits;
};

// x = 2^exponent z with z in [0.707, 1.414), x positive and normal.
inline Scaled split_exponent(std::uint64_t bits) {
  const auto exponent = static_cast<std::int64_t>(bits - kLogOffset) >> 52;
  return {exponent, bits - (static_cast<std::uint64_t>(exponent) << 52)};
}

}  // namespace

namespace detail {

double exp_of_sum(double high, double low) {
  if (std::abs(high) < 708.0) {
    const auto [exponent, head, tail] = exp_parts(high, low);
    return scale_normal(head + tail, exponent);
  }
  if (high > 710.0) return kInfinity;
  if (high < -746.0) return 0.0;
  if (high != high) return high;
  const auto [exponent, head, tail] = exp_parts(high, low);
  return scale_any(head + tail, exponent);
}

double log_midpoint(std::uint64_t k, int bits) {
  // k + 1/2 = u + v, u of at most 53 bits.
  const std::uint64_t low_mask = k >> 52 != 0 ? 0xFFFu : 0u;
  const double high = static_cast<double>(k & ~low_mask);  // exact
  const double u = low_mask != 0 ? high : high + 0.5;
  const double v = low_mask != 0 ? static_cast<double>(k & low_mask) + 0.5 : 0.0;
  const auto [exponent, z_bits] = split_exponent(std::bit_cast<std::uint64_t>(u));
  return log_of_parts<true>(exponent - bits, z_bits, scale_normal(1.0, -exponent) * v);
}

}  // namespace detail

double portable_exp(double x) { return detail::exp_of_sum(x, 0.0); }

double portable_expm1(double x) {
  const double size = std::abs(x);
  if (size < 0.125) {
    if (size < 0x1p-54) return x;
    const double x2 = x * x;
    const double x4 = x2 * x2;
    const double low = (1.0 / 6 + x * (1.0 / 24)) + x2 * (1.0 / 120 + x * (1.0 / 720));
    const double high =
        (1.0 / 5040 + x * (1.0 / 40320)) + x2 * (1.0 / 362880 + x * (1.0 / 3628800));
    const double cubic = low + x4 * (high + x4 * (1.0 / 39916800));
    return x + (x2 * 0.5 + (x2 * x) * cubic);
  }
  if (x > 40.0) return portable_exp(x);  // 1 is below half an ulp of e^x
  if (x < -38.0) return -1.0;            // e^x is below a quarter of an ulp of 1
  if (x != x) return x;
  const auto [exponent, head, tail] = exp_parts(x, 0.0);
  const double big = scale_normal(head, exponent);
  const double less_one = big - 1.0;
  const double lost = big >= 1.0 ? (big - less_one) - 1.0 : big - (less_one + 1.0);
  return less_one + (lost + tail * scale_normal(1.0, exponent));  // (4)
}

double portable_log(double x) {
  auto bits = std::bit_cast<std::uint64_t>(x);
  std::int64_t shift = 0;
  if (bits - 0x0010000000000000u >= 0x7FE0000000000000u) {  // not a positive normal number
    if (x == 0.0) return -kInfinity;
    if (x < 0.0) return kNaN;
    if (!(x < kInfinity)) return x;
    bits = std::bit_cast<std::uint64_t>(x * 0x1p52);
    shift = 52;
  }
  const auto [exponent, z_bits] = split_exponent(bits);
  return log_of_parts<false>(exponent - shift, z_bits, 0.0);
}

double portable_log1p(double x) {
  if (!(x > -1.0)) return x == -1.0 ? -kInfinity : kNaN;
  if (x > 0x1p60) return portable_log(x);  // 1 is below 2^-7 ulp of x
  if (std::abs(x) < 0x1p-54) return x;
  const double u = 1.0 + x;
  const double v = std::abs(x) < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);
  const auto [exponent, z_bits] = split_exponent(std::bit_cast<std::uint64_t>(u));
  return log_of_parts<true>(exponent, z_bits, scale_normal(1.0, -exponent) * v);  // (3)
}

double log_add_exp(double a, double b) {
  const double high = std::max(a, b);
  const double low = std::min(a, b);
  if (a != a || b != b) return kNaN;
  if (low == -kInfinity || high == kInfinity) return high;
  return high + portable_log1p(portable_exp(low - high));
}

double log_sub_exp(double a, double b) {
  if (b == -kInfinity) return a;
  if (!(a >= b) || b == kInfinity) return kNaN;
  if (a == kInfinity) return a;
  const double gap = b - a;
  if (gap > -0.6931471805599453) return a + portable_log(-portable_expm1(gap));
  return a + portable_log1p(-portable_exp(gap));
}

}  // namespace assay
