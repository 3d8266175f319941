#include "assay/mechanisms/noise/exponential.hpp"

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
double StandardExponential::log_density(double z, double log_scale) {
  return z < 0.0 ? -kInfinity : -z - log_scale;  // (1)
}

double StandardExponential::cdf(double z) { return z < 0.0 ? 0.0 : -portable_expm1(-z); }

double StandardExponential::ccdf(double z) { return z < 0.0 ? 1.0 : portable_exp(-z); }

double StandardExponential::log_cdf(double z) {
  if (z < 0.0) return -kInfinity;
  return z < 0.5 ? portable_log(-portable_expm1(-z)) : portable_log1p(-portable_exp(-z));
}

double StandardExponential::log_ccdf(double z) { return z < 0.0 ? 0.0 : -z; }

double StandardExponential::quantile(double p) { return p < 0.0 ? kNaN : -portable_log1p(-p); }

double StandardExponential::ccdf_quantile(double q) { return q > 1.0 ? kNaN : -portable_log(q); }

}  // namespace assay
