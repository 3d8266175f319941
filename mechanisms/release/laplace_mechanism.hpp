// The Laplace mechanism for release. It rounds each answer of a vector to a grid and adds exact
// discrete Laplace noise.
//
//   x_i = floor(q_i/g + 1/2), z_i = x_i + discrete Laplace of scale t, y_i = g z_i              (1)
//   M = ceil(sensitivity/g) + answers - 1: the L1 distance by which one record moves x
//   (fixed_point.hpp)                                                                           (2)
//   t = M/epsilon, rounded up                                                                  (3)
//   log P(y) = sum of log pmf(z_i - x_i); z_i is clamped to 2^53, which gets the whole tail    (4)
//   g = 0 in the configuration: with b = sensitivity/epsilon, the power of two below
//   min(2^-20 b, 2^-10 sensitivity/answers), but not below 2^-40 b                             (5)
//
// Privacy. Relation: replace one record, where `sensitivity` bounds how far that moves the answers
// (the doubles that are given) in L1 distance. View: the output. The mechanism is epsilon-DP: the ratio
// of P(y) for x and for x' is at most e^(|x - x'|_1/t) <= e^(M/t) <= e^epsilon by the triangle
// inequality, and y is computed from z. The level holds for the doubles that are released: noise and
// answers are integers, the noise is exact in distribution if the random numbers are uniform
// (noise/exact_discrete_laplace.hpp), and (2) and (3) are rounded up. It does not cover the time that a
// release takes.
// Accuracy: P(|y_i - q_i| > r) is about e^(-r/(g t)). Where (5) chose g, the noise scale g t is larger
// than real numbers would need by at most the share g answers/sensitivity, which is 2^-10, or
// 2^-40 answers/epsilon if that is more. An answer beyond 2^52 g is released as if it were 2^52 g. For
// one answer that limit is at least 2^31 b or 2^41 sensitivity, whichever is less.
// Reference: Dwork, McSherry, Nissim, Smith (TCC 2006), proposition 1; Ghosh, Roughgarden,
// Sundararajan (STOC 2009) for integers. Threads: a value. Cost: 100 ns per answer.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/configured.hpp"
#include "assay/mechanisms/noise/exact_discrete_laplace.hpp"
#include "assay/mechanisms/release/additive_noise.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/fixed_point.hpp"
#include "assay/mechanisms/release/input_checks.hpp"

namespace assay {

struct LaplaceMechanismConfig {
  double epsilon = 1.0;
  double sensitivity = 1.0;
  std::int64_t answers = 1;
  double granularity = 0.0;

  static void fields(auto&& visit) {
    using C = LaplaceMechanismConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-6, 500}, "eps", "privacy level"));
    visit(field("sensitivity", &C::sensitivity, Range{1e-9, 1e9}, "Delta",
                "L1 distance by which one record moves the answers"));
    visit(field("answers", &C::answers, Range{1, 1e6}, "n", "length of the input"));
    visit(field("granularity", &C::granularity, Range{0, 1e60}, "g",
                "step of the grid, a power of two; 0 for an automatic choice"));
  }
};

class LaplaceMechanism : public AdditiveNoise<ExactDiscreteLaplace, FixedPoint>,
                         public Configured<LaplaceMechanismConfig> {
 public:
  // Further errors: a granularity so fine or coarse that the noise cannot be made of its steps.
  static Result<LaplaceMechanism> create(const Config& config);

  Guarantee guarantee() const;
  using AdditiveNoise::grid;
  double steps() const { return steps_; }  // (2)

 private:
  LaplaceMechanism(const Config& config, const FixedPoint& grid, double steps,
                   const ExactDiscreteLaplace& noise)
      : AdditiveNoise(noise, grid, config.answers), Configured(config), steps_(steps) {}

  double steps_;
};

static_assert(DensityMechanism<LaplaceMechanism>);

}  // namespace assay
