// A faulty noisy histogram, whose scale is inverted: the noise has scale epsilon instead of 1/epsilon.
//
//   z_i = q_i + Laplace(epsilon), independent                                                  (1)
//
// Privacy. Relation: one answer moves by at most 1. View: the output. It claims epsilon-DP. Its
// level is 1/epsilon, which is attained when the answer moves by 1. At epsilon = 0.1 it is 10. For
// epsilon >= 1 it violates nothing and is only inaccurate.
// Accuracy: P(|z_i - q_i| > t) = e^(-t/epsilon), far better than the claim allows.
// Reference: Ding, Wang, Wang, Zhang, Kifer, "Detecting violations of differential privacy" (CCS
// 2018), algorithm 10. Threads: a value. Cost: 20 ns per answer.
#pragma once

#include "assay/mechanisms/idealized/noisy_histogram.hpp"

namespace assay::faulty {

// It is the correct histogram at 1/epsilon in place of epsilon, with the configuration of the correct one.
class UnscaledHistogram : public idealized::NoisyHistogram {
 public:
  static Result<UnscaledHistogram> create(const Config& config);

  const Config& config() const { return claimed_; }

 private:
  UnscaledHistogram(const Config& claimed, const NoisyHistogram& right)
      : NoisyHistogram(right), claimed_(claimed) {}

  Config claimed_;
};

static_assert(DensityMechanism<UnscaledHistogram>);

}  // namespace assay::faulty
