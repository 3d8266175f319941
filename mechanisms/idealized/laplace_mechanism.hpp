// The idealized Laplace mechanism: each answer of a vector plus independent Laplace noise.
//
//   y_i = q_i + Laplace(b), b = sensitivity/epsilon                                            (1)
//   log density of y given q = -n log(2 b) - sum |y_i - q_i|/b                                 (2)
//
// Privacy. Relation: replace one record, where `sensitivity` bounds how far that moves the answers
// in L1 distance. View: the output. epsilon-DP, by the triangle inequality in (2); attained when
// the answers move by that much.
// Accuracy: P(|y_i - q_i| > t) = e^(-t/b).
// Idealized: all this holds for noise in real numbers. Doubles are another matter: which doubles an
// answer plus noise can be depends on the answer, and `assay audit` convicts such releases by their
// low bits (Mironov, CCS 2012). For audits and simulations; to release data take
// release/laplace_mechanism.hpp, whose guarantee is for the doubles themselves.
// Reference: Dwork, McSherry, Nissim, Smith (TCC 2006), proposition 1. Threads: a value.
// Cost: 20 ns per answer.
#pragma once

#include <span>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
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
  friend bool operator==(const LaplaceMechanismConfig&, const LaplaceMechanismConfig&) = default;
};

class LaplaceMechanism {
 public:
  using Config = LaplaceMechanismConfig;
  using Input = std::span<const double>;
  using Output = std::vector<double>;

  static Result<LaplaceMechanism> create(const Config& config);

  Status check_input(const Input& input) const { return assay::detail::check_answers(input, 0); }
  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  // As many releases, one after another, as fit: out.size() is a multiple of input.size().
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  double log_density(const Output& output, const Input& input) const;

  Guarantee guarantee() const;
  const Config& config() const { return config_; }
  const Laplace& noise() const { return noise_; }

 private:
  LaplaceMechanism(const Config& config, const Laplace& noise) : config_(config), noise_(noise) {}

  Config config_;
  Laplace noise_;
};

static_assert(DensityMechanism<LaplaceMechanism>);

namespace detail {

// out = copies of input, one after another, plus
// fresh noise; log-density of a vector given another.
template <RandomSource R>
void add_laplace(std::span<const double> input, const Laplace& noise, R& random,
                 std::span<double> out);
double laplace_log_density(std::span<const double> output, std::span<const double> input,
                           const Laplace& noise);

}  // namespace detail
}  // namespace assay::idealized
