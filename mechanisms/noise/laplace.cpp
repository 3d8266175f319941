#include "assay/mechanisms/noise/laplace.hpp"

#include <cmath>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
double StandardLaplace::log_density(double z, double log_scale) {
  return (-std::abs(z) - log_scale) - kLog2;  // (1)
}

double StandardLaplace::cdf(double z) {
  return z < 0.0 ? 0.5 * portable_exp(z) : 1.0 - 0.5 * portable_exp(-z);
}

double StandardLaplace::ccdf(double z) { return cdf(-z); }

double StandardLaplace::log_cdf(double z) {
  return z < 0.0 ? z - kLog2 : portable_log1p(-0.5 * portable_exp(-z));
}

double StandardLaplace::log_ccdf(double z) { return log_cdf(-z); }

double StandardLaplace::quantile(double p) {
  return p < 0.5 ? portable_log(2.0 * p) : -portable_log(2.0 * (1.0 - p));  // 1 - p is exact
}

double StandardLaplace::ccdf_quantile(double q) { return -quantile(q); }

}  // namespace assay
