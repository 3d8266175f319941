// The numerical sparse vector technique releases the answers above a noisy threshold, each with noise of
// its own. Not for the release of data.
//
// The notation is that of sparse_vector.hpp, with c = cutoff.
//   b_rho = 3/epsilon,  b_nu = 6 c/epsilon,  z drawn once                                      (1)
//   an answer above is released as q_i + Laplace(3 c/epsilon), fresh noise                     (2)
//
// Privacy. Relation: every answer moves by at most 1. View: the flags and the values. The mechanism is
// epsilon-DP: the flags cost 2 epsilon/3 as in above_threshold.hpp, and each of the c values
// epsilon/(3 c). The measure of log_density() counts the flags, with Lebesgue measure for the values.
// Accuracy of log_density: 1e-12 of densities above 1e-280.
// Idealized: all this holds for noise in real numbers, not in doubles. The answer determines which
// doubles the sum of answer and noise can be, and `assay audit` detects this in the low bits
// (Mironov, CCS 2012). Use this for audits and simulations. To release data, use
// release/above_threshold.hpp and, for the values, release/laplace_mechanism.hpp.
// Reference: Wang, Ding, Wang, Kifer, Zhang, "Proving differential privacy with shadow execution"
// (PLDI 2019); Lyu, Su, Li (PVLDB 2017), algorithm 7. Threads: a value.
// Cost: 20 ns per noise; log_density 0.1 ms.
#pragma once

#include "assay/mechanisms/release/sparse_vector.hpp"

namespace assay::idealized {

class NumericalSparseVector : public assay::detail::ReadsAnswers<SparseVectorConfig>,
                              public assay::detail::ReleasesOneOfMany<NumericalSparseVector> {
 public:
  // For each answer: its noisy value, -infinity if it is below, NaN if it is not answered.
  using Output = std::vector<double>;

  static Result<NumericalSparseVector> create(const Config& config);

  // Fills `out` with independent releases, one after another. Precondition: out.size() is a multiple of input.size().
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  double log_density(const Output& output, const Input& input) const;

  Guarantee guarantee() const;
  const assay::detail::SparseVectorRule& rule() const { return rule_; }
  const Laplace& value_noise() const { return value_noise_; }

 private:
  NumericalSparseVector(const Config& config, const Laplace& value_noise);

  assay::detail::SparseVectorRule rule_;
  Laplace value_noise_;
};

static_assert(DensityMechanism<NumericalSparseVector>);

}  // namespace assay::idealized
