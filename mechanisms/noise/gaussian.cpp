#include "assay/mechanisms/noise/gaussian.hpp"

#include "assay/mechanisms/numerics/normal.hpp"

namespace assay {

double StandardGaussian::log_density(double z, double log_scale) {
  return normal_log_pdf(z) - log_scale;  // (1)
}

double StandardGaussian::cdf(double z) { return normal_cdf(z); }

double StandardGaussian::ccdf(double z) { return normal_ccdf(z); }

double StandardGaussian::log_cdf(double z) { return normal_log_cdf(z); }

double StandardGaussian::log_ccdf(double z) { return normal_log_ccdf(z); }

double StandardGaussian::quantile(double p) { return normal_quantile(p); }

double StandardGaussian::ccdf_quantile(double q) { return normal_ccdf_quantile(q); }

}  // namespace assay
