#include "assay/mechanisms/noise/gumbel.hpp"

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
double StandardGumbel::log_density(double z, double log_scale) {
  const double decay = portable_exp(-z);
  if (decay == kInfinity) return -kInfinity;  // also where -z - decay would be inf - inf
  return (-z - decay) - log_scale;
}

double StandardGumbel::cdf(double z) { return portable_exp(log_cdf(z)); }  // (1)

double StandardGumbel::ccdf(double z) { return -portable_expm1(log_cdf(z)); }

double StandardGumbel::log_cdf(double z) { return -portable_exp(-z); }

double StandardGumbel::log_ccdf(double z) {
  const double decay = portable_exp(-z);
  // log(1 - e^-decay), and log(decay) - decay/2 + ... where decay is small or underflows.
  if (decay < 1e-17) return -z;
  if (decay > 0.5) return portable_log1p(-portable_exp(-decay));
  return portable_log(-portable_expm1(-decay));
}

double StandardGumbel::quantile(double p) { return -portable_log(-portable_log(p)); }

double StandardGumbel::ccdf_quantile(double q) { return -portable_log(-portable_log1p(-q)); }

}  // namespace assay
