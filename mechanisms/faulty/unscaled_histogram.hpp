// The noisy histogram with its scale upside down: noise of scale epsilon where 1/epsilon was meant.
//
//   z_i = q_i + Laplace(epsilon), independent                                                  (1)
//
// Privacy. Relation: one answer moves by at most 1. View: the output. It claims epsilon and has
// 1/epsilon, attained where the answer moves by 1: at epsilon 0.1, 10. For epsilon >= 1 it is no
// violation, only inaccurate.
// Accuracy: P(|z_i - q_i| > t) = e^(-t/epsilon), far better than the claim allows.
// Reference: Ding, Wang, Wang, Zhang, Kifer, "Detecting violations of differential privacy" (CCS
// 2018), algorithm 10. Threads: a value. Cost: 20 ns per answer.
#pragma once

#include "assay/mechanisms/idealized/noisy_histogram.hpp"

namespace assay::faulty {

// The histogram whose epsilon is 1/epsilon, under the configuration of the one that it claims to be.
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
