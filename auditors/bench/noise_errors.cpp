#include "assay/auditors/bench/noise_errors.hpp"

#include <cmath>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::detail {
namespace {

double sinh_of(double x) {
  const double growth = portable_expm1(x);
  return 0.5 * (growth + growth / (growth + 1.0));
}

// P(Laplace of scale 1 <= x).
double laplace_cdf(double x) {
  return x < 0.0 ? 0.5 * portable_exp(x) : 1.0 - 0.5 * portable_exp(-x);
}

// P(low < Laplace of scale 1 <= high), without cancellation in either tail.
double laplace_between(double low, double high) {
  return low > 0.0 ? laplace_cdf(-low) - laplace_cdf(-high) : laplace_cdf(high) - laplace_cdf(low);
}

}  // namespace

NoiseErrors discrete_laplace_errors(double scale) {
  const double half = sinh_of(0.5 / scale);
  return {std::sqrt(0.5) / half, 1.0 / sinh_of(1.0 / scale)};  // (1)
}

NoiseErrors discrete_gaussian_errors(double scale) {
  if (scale >= 64.0) {  // (2)
    const double square = scale * scale;
    return {scale, 2.0 * (square - 1.0 / 12.0 - 1.0 / (240.0 * square)) / scale * kInverseSqrt2Pi};
  }
  double weight = 1.0;
  double first = 0.0;
  double second = 0.0;
  for (double k = 1.0; k <= 40.0 * scale + 1.0; k += 1.0) {
    const double both = 2.0 * portable_exp(-0.5 * (k / scale) * (k / scale));
    weight += both;
    first += k * both;
    second += k * k * both;
  }
  return {std::sqrt(second / weight), first / weight};
}

NoiseErrors snapped_laplace_errors(double scale, double step, double answer) {
  const double centre = std::floor(answer / step + 0.5);
  const double reach = std::ceil(45.0 * scale / step) + 1.0;
  double first = 0.0;
  double second = 0.0;
  for (double k = centre - reach; k <= centre + reach; k += 1.0) {
    const double low = ((k - 0.5) * step - answer) / scale;
    const double high = ((k + 0.5) * step - answer) / scale;
    const double error = std::abs(k * step - answer);
    const double probability = laplace_between(low, high);  // (3)
    first += probability * error;
    second += probability * error * error;
  }
  return {std::sqrt(second), first};
}

}  // namespace assay::detail
