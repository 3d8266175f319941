// The discrete Laplace and discrete Gaussian mechanisms, which add integer noise to integer answers.
//
//   DiscreteLaplaceMechanism:  y_i = q_i + discrete Laplace of scale sensitivity/epsilon       (1)
//   DiscreteGaussianMechanism: y = q + discrete Gaussian of scale s, one answer                (2)
//   delta = P(Y > epsilon s^2/D - D/2) - e^epsilon P(Y > epsilon s^2/D + D/2), D = sensitivity (3)
//
// Scales are rounded up: to a double in (1), and to 24 bits in (2). noise() has the rounded scale.
//
// Privacy. Relation: replace one record, where `sensitivity`, an integer, bounds how far that moves
// the answers in L1 distance. View: the output. The distribution of the noise is exact if the random
// numbers are uniform (noise/exact_discrete_laplace.hpp), so no rounding weakens the level.
//   DiscreteLaplaceMechanism is epsilon-DP. The bound is tight if the scale (1) is exactly a double.
//   DiscreteGaussianMechanism is (epsilon, delta)-DP with the exact delta of (3). guarantee() states
//   it rounded up (accounting/discrete_gaussian_profile.hpp).
// Accuracy: the variance is nearly that of continuous noise of the same scale.
// log_density() is the log-probability of an output.
// Reference: Ghosh, Roughgarden, Sundararajan (STOC 2009) for (1); Canonne, Kamath, Steinke
// (NeurIPS 2020), theorem 7, for (3). Threads: values. Cost per answer: 100 ns (1), 300 ns (2).
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/configured.hpp"
#include "assay/mechanisms/noise/exact_discrete_gaussian.hpp"
#include "assay/mechanisms/noise/exact_discrete_laplace.hpp"
#include "assay/mechanisms/release/additive_noise.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/input_checks.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay {

struct DiscreteLaplaceMechanismConfig {
  double epsilon = 1.0;
  std::int64_t sensitivity = 1;

  static void fields(auto&& visit) {
    using C = DiscreteLaplaceMechanismConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-6, 500}, "eps", "privacy level"));
    visit(field("sensitivity", &C::sensitivity, Range{1, 1e6}, "Delta",
                "L1 distance by which one record moves the answers"));
  }
};

struct DiscreteGaussianMechanismConfig {
  double epsilon = 1.0;
  double scale = 5.0;
  std::int64_t sensitivity = 1;

  static void fields(auto&& visit) {
    using C = DiscreteGaussianMechanismConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-6, 500}, "eps",
                "privacy level at which delta holds"));
    visit(field("scale", &C::scale, Range{0.01, 1e5}, "s", "scale of the noise"));
    visit(field("sensitivity", &C::sensitivity, Range{1, 1e6}, "Delta",
                "distance by which one record moves the answer"));
  }
};

class DiscreteLaplaceMechanism : public AdditiveNoise<ExactDiscreteLaplace, Integers>,
                                 public Configured<DiscreteLaplaceMechanismConfig> {
 public:
  static Result<DiscreteLaplaceMechanism> create(const Config& config);

  Guarantee guarantee() const;

 private:
  DiscreteLaplaceMechanism(const Config& config, const ExactDiscreteLaplace& noise)
      : AdditiveNoise(noise), Configured(config) {}
};

class DiscreteGaussianMechanism
    : public Configured<DiscreteGaussianMechanismConfig>,
      public detail::ReleasesManyByOne<DiscreteGaussianMechanism, std::int64_t> {
 public:
  using Input = std::int64_t;
  using Output = std::int64_t;

  static Result<DiscreteGaussianMechanism> create(const Config& config);

  Status check_input(const Input& input) const;  // Error: |input| above 2^52.
  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  double log_density(const Output& output, const Input& input) const {
    return noise_.log_pmf(output - input);
  }

  Guarantee guarantee() const;
  const ExactDiscreteGaussian& noise() const { return noise_; }

 private:
  DiscreteGaussianMechanism(const Config& config, const ExactDiscreteGaussian& noise)
      : Configured(config), noise_(noise) {}

  ExactDiscreteGaussian noise_;
};

static_assert(DensityMechanism<DiscreteLaplaceMechanism> &&
              DensityMechanism<DiscreteGaussianMechanism>);

}  // namespace assay
