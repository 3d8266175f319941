#include "assay/mechanisms/noise/discrete_gaussian.hpp"

#include <cmath>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kSqrt2Pi = 2.50662827463100050242;

double log_normaliser(double s) {
  double sum = 1.0;
  if (s < 1.0) {
    for (double k = 1.0; k <= 40.0 * s + 1.0; k += 1.0) {
      sum += 2.0 * portable_exp(-k * k / (2.0 * s * s));
    }
    return portable_log(sum);
  }
  for (double n = 1.0; n <= 2.0; n += 1.0) {  // the third term is below e^-177
    sum += 2.0 * portable_exp(-2.0 * kPi * kPi * s * s * n * n);
  }
  return portable_log(s * kSqrt2Pi) + portable_log(sum);  // (2)
}

}  // namespace

Result<DiscreteGaussian> DiscreteGaussian::create(double scale) {
  if (!(scale >= 0.01 && scale <= 1e9)) {
    return fail(ErrorCode::kInvalidArgument,
                "scale must be 0.01 to 1e+09, not " + number_text(scale), "/scale");
  }
  auto proposal = ASSAY_TRY(DiscreteLaplace::create(std::floor(scale) + 1.0));
  return DiscreteGaussian(scale, proposal);
}

DiscreteGaussian::DiscreteGaussian(double scale, DiscreteLaplace proposal)
    : scale_(scale), proposal_(proposal), log_norm_(log_normaliser(scale)) {}

bool DiscreteGaussian::accepts(std::int64_t candidate, std::uint64_t word) const {
  const double t = proposal_.scale();
  const double z = (std::abs(static_cast<double>(candidate)) - scale_ * scale_ / t) / scale_;
  const double probability = portable_exp(-0.5 * z * z);  // (3)
  return probability >= 1.0 || word < static_cast<std::uint64_t>(probability * 0x1p64);
}

double DiscreteGaussian::log_pmf(std::int64_t k) const {
  const double z = static_cast<double>(k) / scale_;
  return -0.5 * z * z - log_norm_;  // (1)
}

double DiscreteGaussian::ccdf(std::int64_t k) const {
  if (k <= 0) return 1.0 - ccdf(1 - k);
  const double reach = std::ceil(40.0 * scale_);
  double sum = 0.0;
  const auto end = k + static_cast<std::int64_t>(reach);
  for (std::int64_t i = end; i >= k; --i) sum += portable_exp(log_pmf(i));
  return sum;
}

}  // namespace assay
