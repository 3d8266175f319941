// Laplace noise: two-sided exponential of mean absolute deviation `scale` about `location`.
//
//   density(x) = exp(-|z|)/(2 scale), z = (x - location)/scale                                 (1)
//   z = -+ log(2 q), q the distance of (w + 1/2) 2^-64 from the nearer of 0 and 1, w a random
//       64-bit number                                                                          (2)
//
// Sampling: (2), one random number per draw. A draw increases with it, and |z| <= 44.4.
// Accuracy: z has a relative error of about 1e-15, from the centre to the tails.
// Reference: Dwork, McSherry, Nissim, Smith (TCC 2006). Cost: fill() takes 5 ns per draw with AVX2, and
// 15 to 20 ns without; so does sample().
// Threads: a value. Same bits on every machine.
#pragma once

#include "assay/mechanisms/noise/location_scale.hpp"
#include "assay/mechanisms/noise/log_words.hpp"

namespace assay {

struct StandardLaplace : detail::LogDraws<detail::LogDistribution::kLaplace> {
  static constexpr bool kFromZero = false;

  static double log_density(double z, double log_scale);
  static double cdf(double z);
  static double ccdf(double z);
  static double log_cdf(double z);
  static double log_ccdf(double z);
  static double quantile(double p);
  static double ccdf_quantile(double q);
};

using Laplace = LocationScale<StandardLaplace>;

}  // namespace assay
