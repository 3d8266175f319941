#include "assay/mechanisms/noise/gaussian.hpp"

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/internal/parameters.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

Result<Gaussian> Gaussian::create(double location, double scale) {
  ASSAY_TRY(detail::check_location_scale(location, scale));
  return Gaussian(location, scale);
}

double Gaussian::log_density(double x) const {
  return normal_log_pdf((x - location_) / scale_) - portable_log(scale_);  // (1)
}

double Gaussian::cdf(double x) const { return normal_cdf((x - location_) / scale_); }

double Gaussian::ccdf(double x) const { return normal_ccdf((x - location_) / scale_); }

double Gaussian::log_cdf(double x) const { return normal_log_cdf((x - location_) / scale_); }

double Gaussian::log_ccdf(double x) const { return normal_log_ccdf((x - location_) / scale_); }

double Gaussian::quantile(double p) const { return location_ + scale_ * normal_quantile(p); }

double Gaussian::ccdf_quantile(double q) const {
  return location_ + scale_ * normal_ccdf_quantile(q);
}

}  // namespace assay
