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

class UnscaledHistogram {
 public:
  using Config = idealized::NoisyHistogramConfig;  // epsilon: the level it claims
  using Input = std::span<const double>;
  using Output = std::vector<double>;

  static Result<UnscaledHistogram> create(const Config& config);

  Status check_input(const Input& input) const { return right_.check_input(input); }
  template <RandomSource R>
  Output release(const Input& input, R& random) const {
    return right_.release(input, random);
  }
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const {
    right_.release_many(input, random, out);
  }
  double log_density(const Output& output, const Input& input) const {
    return right_.log_density(output, input);
  }

  Guarantee guarantee() const { return right_.guarantee(); }
  const Config& config() const { return config_; }

 private:
  UnscaledHistogram(const Config& config, const idealized::NoisyHistogram& right)
      : config_(config), right_(right) {}

  Config config_;
  idealized::NoisyHistogram right_;  // the histogram whose epsilon is 1/epsilon
};

static_assert(DensityMechanism<UnscaledHistogram>);

}  // namespace assay::faulty
