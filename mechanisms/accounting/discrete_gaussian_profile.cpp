#include "assay/mechanisms/accounting/discrete_gaussian_profile.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kSummedScale = 0x1p13;
// The error of a tail: normal_ccdf to z = 40 (2e-13), the sums, the rounded thresholds of (1).
constexpr double kError = 1e-12;
// Tails below it have lost their relative accuracy, or are 0.
constexpr double kTiny = 0x1p-1010;

struct Tail {
  double lower;
  double upper;
};

// P(Y > x).
Tail beyond(const DiscreteGaussian& noise, double x) {
  const double s = noise.scale();
  const double k = std::clamp(std::floor(x) + 1.0, -50.0 * s - 2.0, 50.0 * s + 2.0);
  if (s < kSummedScale) {
    const double tail = noise.ccdf(static_cast<std::int64_t>(std::floor(k)));
    return {tail * (1.0 - kError), tail * (1.0 + kError)};
  }
  const double z = (k - 0.5) / s;
  const double density = portable_exp(normal_log_pdf(std::max(z, 1.0)));
  const double error = (z >= 1.0 ? z : 4.0) * density / (8.0 * s * s) * (1.0 + kError);  // (3)
  const double tail = normal_ccdf(z);
  return {std::max(0.0, tail * (1.0 - kError) - error), tail * (1.0 + kError) + error};
}

}  // namespace

Interval<Delta> discrete_gaussian_delta_between(const DiscreteGaussian& noise, double shift,
                                                Epsilon epsilon) {
  ASSAY_CHECK(shift >= 1.0 && shift == std::floor(shift) && epsilon.value >= 0.0,
              "a whole shift, a finite epsilon");
  const double middle = epsilon.value * (noise.scale() / shift * noise.scale());
  const Tail first = beyond(noise, middle - 0.5 * shift);
  const Tail second = beyond(noise, middle + 0.5 * shift);
  const auto paid = [&](double tail) { return portable_exp(epsilon.value + portable_log(tail)); };
  const double least = second.lower > kTiny ? paid(second.lower) * (1.0 - kError) : 0.0;
  const double most = paid(std::max(second.upper, kTiny)) * (1.0 + kError);
  return {{Delta{std::clamp(first.lower - most, 0.0, 1.0)}},
          {Delta{std::clamp(first.upper + kTiny - least, 0.0, 1.0)}}};  // (1)
}

UpperBound<Delta> discrete_gaussian_delta(const DiscreteGaussian& noise, double shift,
                                          Epsilon epsilon) {
  return discrete_gaussian_delta_between(noise, shift, epsilon).upper;
}

}  // namespace assay
