// The Gaussian mechanism for release. It rounds each answer of a vector to a grid and adds exact
// discrete Gaussian noise.
//
//   x_i = floor(q_i/g + 1/2), z_i = x_i + discrete Gaussian of scale s, y_i = g z_i             (1)
//   M^2: the squared L2 distance by which one record moves x, (4) of fixed_point.hpp           (2)
//   one answer: s such that the exact delta at epsilon of a shift by M is at most delta
//   (accounting/discrete_gaussian_profile.hpp)                                                 (3)
//   several answers: s such that rho = M^2/(2 s^2)-zCDP implies (epsilon, delta)-DP (zcdp.hpp) (4)
//   g = 0 in the configuration: 2^-22 of the scale that continuous noise would need, rounded down
//   to a power of two                                                                          (5)
//
// Privacy. Relation: replace one record, where `sensitivity` bounds how far that moves the answers
// (the doubles that are given) in L2 distance. View: the output. The mechanism is (epsilon, delta)-DP
// by (3) or (4). For any number of answers it also has the level zcdp(), since the discrete Gaussian's
// Renyi divergence of order a between x and x' is at most a |x - x'|^2/(2 s^2). It does not claim
// mu-GDP, which holds for continuous noise but not exactly for discrete noise. The levels hold for the
// doubles that are released: noise and answers are integers, the noise is exact in distribution
// (noise/exact_discrete_gaussian.hpp), and scales are rounded up. They do not cover the time that a
// release takes.
// Accuracy: the variance of the noise is at most s^2 g^2. If (5) chose g, the scale exceeds that of the
// analytic Gaussian mechanism: by (3) by the share g/sensitivity (1e-6 at epsilon = 1, more than
// half at epsilon = 1e-6), plus at most 1e-3 for its own error; by (4) by 1% to 10% at
// epsilon >= 0.7 and delta <= 1e-5, and by half or more if epsilon is small. An answer beyond 2^52 g is
// released as if it were 2^52 g. log_density() leaves out the tail where z_i is clamped to 2^53.
// Reference: Canonne, Kamath, Steinke (NeurIPS 2020), theorem 7 for (3), 14 for zCDP of vectors.
// Threads: a value. Cost: 300 ns per answer; create 0.1 ms to 10 ms.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/configured.hpp"
#include "assay/mechanisms/noise/exact_discrete_gaussian.hpp"
#include "assay/mechanisms/release/additive_noise.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/fixed_point.hpp"
#include "assay/mechanisms/release/input_checks.hpp"

namespace assay {

struct GaussianMechanismConfig {
  double epsilon = 1.0;
  double delta = 1e-5;
  double sensitivity = 1.0;
  std::int64_t answers = 1;
  double granularity = 0.0;

  static void fields(auto&& visit) {
    using C = GaussianMechanismConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-6, 500}, "eps", "privacy level"));
    visit(field("delta", &C::delta, Range{1e-300, 0.5}, "delta", "privacy level"));
    visit(field("sensitivity", &C::sensitivity, Range{1e-9, 1e9}, "Delta",
                "L2 distance by which one record moves the answers"));
    visit(field("answers", &C::answers, Range{1, 1e6}, "n", "length of the input"));
    visit(field("granularity", &C::granularity, Range{0, 1e60}, "g",
                "step of the grid, a power of two; 0 for an automatic choice"));
  }
};

class GaussianMechanism : public AdditiveNoise<ExactDiscreteGaussian, FixedPoint>,
                          public Configured<GaussianMechanismConfig> {
 public:
  // Further errors: a granularity so fine or coarse that the noise cannot be made of its steps.
  static Result<GaussianMechanism> create(const Config& config);

  Guarantee guarantee() const;
  ZeroConcentratedDp zcdp() const;
  using AdditiveNoise::grid;
  double squared_steps() const { return squared_steps_; }  // (2)

 private:
  GaussianMechanism(const Config& config, const FixedPoint& grid, double squared_steps,
                    const ExactDiscreteGaussian& noise)
      : AdditiveNoise(noise, grid, config.answers),
        Configured(config),
        squared_steps_(squared_steps) {}

  double squared_steps_;
};

static_assert(DensityMechanism<GaussianMechanism>);

}  // namespace assay
