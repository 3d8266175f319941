#include "assay/mechanisms/noise/gumbel.hpp"

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/noise/parameters.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
Result<Gumbel> Gumbel::create(double location, double scale) {
  ASSAY_TRY(detail::check_location_scale(location, scale));
  return Gumbel(location, scale);
}

double Gumbel::log_density(double x) const {
  const double z = (x - location_) / scale_;
  const double decay = portable_exp(-z);
  if (decay == kInfinity) return -kInfinity;  // also where -z - decay would be inf - inf
  return (-z - decay) - portable_log(scale_);
}

double Gumbel::cdf(double x) const { return portable_exp(log_cdf(x)); }  // (1)

double Gumbel::ccdf(double x) const { return -portable_expm1(log_cdf(x)); }

double Gumbel::log_cdf(double x) const { return -portable_exp((location_ - x) / scale_); }

double Gumbel::log_ccdf(double x) const {
  const double z = (x - location_) / scale_;
  const double decay = portable_exp(-z);
  // log(1 - e^-decay), and log(decay) - decay/2 + ... where decay is small or underflows.
  if (decay < 1e-17) return -z;
  if (decay > 0.5) return portable_log1p(-portable_exp(-decay));
  return portable_log(-portable_expm1(-decay));
}

double Gumbel::quantile(double p) const {
  return location_ - scale_ * portable_log(-portable_log(p));
}

double Gumbel::ccdf_quantile(double q) const {
  return location_ - scale_ * portable_log(-portable_log1p(-q));
}

}  // namespace assay
