// The idealized Gaussian mechanism adds independent Gaussian noise to each answer of a vector. The noise
// is calibrated to (epsilon, delta) in one of two ways. Not for the release of data.
//
//   y_i = q_i + N(0, s^2)                                                                      (1)
//   classical: s = sensitivity sqrt(2 log(1.25/delta))/epsilon, epsilon < 1                    (2)
//   analytic:  s = sensitivity/mu, mu the largest with delta_mu(epsilon) <= delta, where
//              delta_mu is the privacy profile of mu-GDP (accounting/gdp.hpp)                  (3)
//
// Privacy. Relation: replace one record, where `sensitivity` bounds how far that moves the answers
// in L2 distance. View: the output. The mechanism is (epsilon, delta)-DP, and mu()-GDP with
// mu = sensitivity/s. (3) is tight: no smaller s is enough. mu is a certified lower bound (gdp_mu_lower)
// and the quotient is rounded up, so errors of the computation never weaken privacy; nor do those of (2).
// Accuracy: (3) needs less noise than (2) at every epsilon and delta, and allows every epsilon.
// Idealized: all this holds for noise in real numbers, not in doubles. The answer determines which
// doubles the sum of answer and noise can be, and `assay audit` detects this in the low bits
// (Mironov, CCS 2012). Use this for audits and simulations. To release data, use
// release/gaussian_mechanism.hpp, whose guarantee is for the doubles themselves.
// Reference: Dwork, Roth (2014), theorem A.1, for (2); Balle, Wang, "Improving the Gaussian
// mechanism for differential privacy" (ICML 2018), theorem 8, for (3).
// Threads: a value. Cost: 6 ns per answer; create 0.1 ms.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/configured.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/release/additive_noise.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/input_checks.hpp"

namespace assay::idealized {

enum class GaussianCalibration { kClassical, kAnalytic };
constexpr std::array<std::pair<GaussianCalibration, std::string_view>, 2> enum_names(
    GaussianCalibration) {
  return {{{GaussianCalibration::kClassical, "classical"},
           {GaussianCalibration::kAnalytic, "analytic"}}};
}

struct GaussianMechanismConfig {
  double epsilon = 1.0;
  double delta = 1e-5;
  double sensitivity = 1.0;
  GaussianCalibration calibration = GaussianCalibration::kAnalytic;

  static void fields(auto&& visit) {
    using C = GaussianMechanismConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-6, 1e3}, "eps", "privacy level"));
    visit(field("delta", &C::delta, Range{1e-300, 0.5}, "delta", "privacy level"));
    visit(field("sensitivity", &C::sensitivity, Range{1e-9, 1e9}, "Delta",
                "L2 distance by which one record moves the answers"));
    visit(field("calibration", &C::calibration, Range{}, "", "how to set the noise"));
  }
  Status check() const;  // Error: classical with epsilon of 1 or more.
};

class GaussianMechanism : public AdditiveNoise<Gaussian, RealLine>,
                          public Configured<GaussianMechanismConfig> {
 public:
  static Result<GaussianMechanism> create(const Config& config);

  Guarantee guarantee() const;
  Mu mu() const { return Mu{config_.sensitivity / noise().scale()}; }

 private:
  GaussianMechanism(const Config& config, const Gaussian& noise)
      : AdditiveNoise(noise), Configured(config) {}
};

static_assert(DensityMechanism<GaussianMechanism>);

}  // namespace assay::idealized
