#include "assay/mechanisms/noise/laplace.hpp"

#include <cmath>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/parameters.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// P(Z <= z) and its logarithm for the standard law; the other tail is that of -z.
double standard_cdf(double z) {
  return z < 0.0 ? 0.5 * portable_exp(z) : 1.0 - 0.5 * portable_exp(-z);
}

double standard_log_cdf(double z) {
  return z < 0.0 ? z - kLog2 : portable_log1p(-0.5 * portable_exp(-z));
}

// z with P(Z <= z) = p.
double standard_quantile(double p) {
  return p < 0.5 ? portable_log(2.0 * p) : -portable_log(2.0 * (1.0 - p));  // 1 - p is exact
}

}  // namespace

Result<Laplace> Laplace::create(double location, double scale) {
  ASSAY_TRY(detail::check_location_scale(location, scale));
  return Laplace(location, scale);
}

double Laplace::log_density(double x) const {
  return (-std::abs((x - location_) / scale_) - portable_log(scale_)) - kLog2;  // (1)
}

double Laplace::cdf(double x) const { return standard_cdf((x - location_) / scale_); }

double Laplace::ccdf(double x) const { return standard_cdf((location_ - x) / scale_); }

double Laplace::log_cdf(double x) const { return standard_log_cdf((x - location_) / scale_); }

double Laplace::log_ccdf(double x) const { return standard_log_cdf((location_ - x) / scale_); }

double Laplace::quantile(double p) const { return location_ + scale_ * standard_quantile(p); }

double Laplace::ccdf_quantile(double q) const { return location_ - scale_ * standard_quantile(q); }

}  // namespace assay
