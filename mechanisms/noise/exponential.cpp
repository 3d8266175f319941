#include "assay/mechanisms/noise/exponential.hpp"

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/parameters.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
Result<Exponential> Exponential::create(double scale) {
  ASSAY_TRY(detail::check_scale(scale));
  return Exponential(scale);
}

double Exponential::log_density(double x) const {
  return x < 0.0 ? -kInfinity : -x / scale_ - portable_log(scale_);  // (1)
}

double Exponential::cdf(double x) const { return x < 0.0 ? 0.0 : -portable_expm1(-x / scale_); }

double Exponential::ccdf(double x) const { return x < 0.0 ? 1.0 : portable_exp(-x / scale_); }

double Exponential::log_cdf(double x) const {
  if (x < 0.0) return -kInfinity;
  const double z = x / scale_;
  return z < 0.5 ? portable_log(-portable_expm1(-z)) : portable_log1p(-portable_exp(-z));
}

double Exponential::log_ccdf(double x) const { return x < 0.0 ? 0.0 : -x / scale_; }

double Exponential::quantile(double p) const {
  return p < 0.0 ? kNaN : -scale_ * portable_log1p(-p);
}

double Exponential::ccdf_quantile(double q) const {
  return q > 1.0 ? kNaN : -scale_ * portable_log(q);
}

}  // namespace assay
