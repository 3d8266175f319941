// The idealized Laplace mechanism adds independent Laplace noise to each answer of a vector. Not for the
// release of data.
//
//   y_i = q_i + Laplace(b), b = sensitivity/epsilon                                            (1)
//   log density of y given q = -n log(2 b) - sum |y_i - q_i|/b                                 (2)
//
// Privacy. Relation: replace one record, where `sensitivity` bounds how far that moves the answers
// in L1 distance. View: the output. The mechanism is epsilon-DP, by the triangle inequality in (2). This is
// attained when the answers move by that much.
// Accuracy: P(|y_i - q_i| > t) = e^(-t/b).
// Idealized: all this holds for noise in real numbers, not in doubles. The answer determines which
// doubles the sum of answer and noise can be, and `assay audit` detects this in the low bits
// (Mironov, CCS 2012). Use this for audits and simulations. To release data, use
// release/laplace_mechanism.hpp, whose guarantee is for the doubles themselves.
// Reference: Dwork, McSherry, Nissim, Smith (TCC 2006), proposition 1. Threads: a value.
// Cost: 20 ns per answer.
#pragma once

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/configured.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/release/additive_noise.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/input_checks.hpp"

namespace assay::idealized {

struct LaplaceMechanismConfig {
  double epsilon = 1.0;
  double sensitivity = 1.0;

  static void fields(auto&& visit) {
    using C = LaplaceMechanismConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-6, 1e6}, "eps", "privacy level"));
    visit(field("sensitivity", &C::sensitivity, Range{1e-9, 1e9}, "Delta",
                "L1 distance by which one record moves the answers"));
  }
};

class LaplaceMechanism : public AdditiveNoise<Laplace, RealLine>,
                         public Configured<LaplaceMechanismConfig> {
 public:
  static Result<LaplaceMechanism> create(const Config& config);

  Guarantee guarantee() const;

 private:
  LaplaceMechanism(const Config& config, const Laplace& noise)
      : AdditiveNoise(noise), Configured(config) {}
};

static_assert(DensityMechanism<LaplaceMechanism>);

}  // namespace assay::idealized
