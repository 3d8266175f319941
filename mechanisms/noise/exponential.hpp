// Exponential noise of mean `scale` on [0, inf).
//
//   density(x) = exp(-z)/scale, z = x/scale >= 0                                               (1)
//   z = -log(1 - (w + 1/2) 2^-64), w a random 64-bit number                                    (2)
//
// Sampling: (2), one random number per draw. A draw increases with it, and z lies between 2^-65 and
// 45.1. Permute-and-flip (McKenna and Sheldon, NeurIPS 2020) uses it.
// Accuracy: z has a relative error of about 1e-15. Cost: fill() takes 5 ns per draw with AVX2, and 15 to 20 ns
// without; so does sample().
// Threads: a value. Same bits on every machine.
#pragma once

#include "assay/mechanisms/noise/location_scale.hpp"
#include "assay/mechanisms/noise/log_words.hpp"

namespace assay {

struct StandardExponential : detail::LogDraws<detail::LogDistribution::kExponential> {
  static constexpr bool kFromZero = true;

  static double log_density(double z, double log_scale);
  static double cdf(double z);
  static double ccdf(double z);
  static double log_cdf(double z);
  static double log_ccdf(double z);
  static double quantile(double p);
  static double ccdf_quantile(double q);
};

using Exponential = LocationScale<StandardExponential>;

}  // namespace assay
