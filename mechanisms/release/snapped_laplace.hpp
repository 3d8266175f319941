// The snapping mechanism adds Laplace noise to one answer in doubles. It makes the result safe by
// clamping it and rounding it to a coarse grid.
//
//   c = clamp(q, -B, B);  U uniform on the doubles of (0, 1), each as likely as its distance to the
//   next;  S = +1 or -1;  w = c (+) S (lambda (x) LN(U)), each operation correctly rounded       (1)
//   y = clamp(step floor(w/step + 1/2), -B, B), step the least power of two >= lambda           (2)
//   lambda = (sensitivity + 40 h B)/(epsilon - 100 h), rounded up, h = 2^-53                   (3)
//
// Privacy. Relation: replace one record, where `sensitivity` bounds how far that moves the answer
// (the double that is given). View: the output. The mechanism is epsilon-DP for the doubles that are
// released; docs/proofs/snapped_laplace.md has the proof. It does not cover the time that a release
// takes, which depends on the draws of the exponent of U.
// Accuracy: the error is the noise of (1), plus at most step/2 <= lambda from (2). `laplace`
// (laplace_mechanism.hpp) has less error, and its proof is exact. This one is for comparison, and for
// users whose noise has to be computed in doubles. log_density() is the log-probability of an output,
// exact to 1e-13 of each probability.
// Reference: Mironov, "On significance of the least significant bits for differential privacy" (CCS
// 2012), section 5.2. Threads: a value. Cost: 10 us per release (the logarithm in 50 digits), 5 ms
// per log_density.
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/release/concepts.hpp"
#include "assay/mechanisms/release/mechanism_parts.hpp"

namespace assay {

struct SnappedLaplaceConfig {
  double epsilon = 1.0;
  double sensitivity = 1.0;
  double bound = 1e6;

  static void fields(auto&& visit) {
    using C = SnappedLaplaceConfig;
    visit(field("epsilon", &C::epsilon, Range{1e-6, 500}, "eps", "privacy level"));
    visit(field("sensitivity", &C::sensitivity, Range{1e-9, 1e9}, "Delta",
                "distance by which one record moves the answer"));
    visit(field("bound", &C::bound, Range{1e-9, 1e15}, "B", "answers are clamped to -B..B"));
  }
  Status check() const;  // Error: bound outside 1 to 2^40 times sensitivity/epsilon.
};

namespace detail {

// The U of (1), a double in (0, 1): (1 + mantissa 2^-52) 2^-exponent. The exponent is at least 1 and unbounded.
struct UniformDouble {
  std::uint64_t exponent = 1;
  std::uint64_t mantissa = 0;  // below 2^52
};

// -log(u), correctly rounded.
double exponential_of(const UniformDouble& u);

}  // namespace detail

class SnappedLaplace : public Configured<SnappedLaplaceConfig>,
                       public detail::ReleasesManyByOne<SnappedLaplace> {
 public:
  using Input = double;
  using Output = double;

  static Result<SnappedLaplace> create(const Config& config);

  Status check_input(const Input& input) const;  // Error: not finite.
  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  double log_density(const Output& output, const Input& input) const;

  Guarantee guarantee() const;
  double lambda() const { return lambda_; }
  double step() const { return step_; }

  // The log-probability, given the sign S, that y is `output` or beyond it in the direction of S.
  double log_tail(double output, double input, bool negative) const;
  // e of the proof, rounded up: the relative distance of a tail from that of Laplace noise.
  double distribution_error() const {
    return 1.001 * (5.0 * 0x1p-53 * config_.bound / lambda_ + 12.0 * 0x1p-53);
  }

  // The output by (1) and (2) for given random numbers.
  double output_of(double input, bool negative, const detail::UniformDouble& u) const;

 private:
  SnappedLaplace(const Config& config, double lambda, double step)
      : Configured(config), lambda_(lambda), step_(step) {}

  // log P(y = output and S is this sign).
  double log_half(double output, double input, bool negative) const;

  double lambda_;
  double step_;
};

static_assert(DensityMechanism<SnappedLaplace>);

}  // namespace assay
