// The published sparse vector variants that are not as private as they claim (numbers 3 to 6 of
// Lyu, Su, Li), and the parallel pair of DP-Sniper's table.
//
// ../release/sparse_vector.hpp has the notation and the distribution; c = cutoff. Each variant claims
// epsilon-DP.
//   3  b_rho = 2/eps, b_nu = 2 c/eps, releases v_i itself when above                           (1)
//   4  b_rho = 4/eps, b_nu = 4/(3 eps), stops after c                                          (2)
//   5  b_rho = 2/eps, no noise on the answers, never stops                                     (3)
//   6  b_rho = 2/eps, b_nu = 2/eps, never stops                                                (4)
//
// Privacy. Relation: every answer moves by at most 1. View: the output. The true levels for n answers are
// at most n eps/(2 c) for 3, which is attained; ((1 + 6 c)/4) eps for 4; infinite for 5 if n >= 2; at most
// n eps/2 for 6. Those of 3 and 6 grow without bound with n. docs/proofs/sparse_vectors.md has the proofs
// and (5).
// Accuracy of log_density: 1e-12 of densities above 1e-280.
// Reference: Lyu, Su, Li, "Understanding the sparse vector technique for differential privacy"
// (PVLDB 10(6), 2017), figure 1; 3 is from Roth's lecture notes (2011), 4 Lee and Clifton (KDD
// 2014), 5 Stoddard, Chen, Machanavajjhala (2014), 6 Chen, Xiao, Zhang, Xu (SIGMOD 2015).
// Threads: values. Cost: 20 ns per noise.
#pragma once

#include <limits>

#include "assay/mechanisms/release/sparse_vector.hpp"

namespace assay::faulty {
namespace detail {

using assay::detail::SparseVectorRule;

struct SparseVector4Variant {
  static SparseVectorRule rule(const SparseVectorConfig& config) {
    return {config.threshold, 4.0 / config.epsilon, 4.0 / (3.0 * config.epsilon), config.cutoff,
            false};  // (2)
  }
  static Guarantee guarantee(const SparseVectorConfig& config) {
    const double factor = 0.25 * (1.0 + 6.0 * static_cast<double>(config.cutoff));
    return {PureDp{Epsilon{factor * config.epsilon}}, Relation::kAllAnswers, View::kOutput,
            "Lyu, Su, Li (PVLDB 2017), on algorithm 4"};
  }
};

struct SparseVector5Variant {
  static SparseVectorRule rule(const SparseVectorConfig& config) {
    return {config.threshold, 2.0 / config.epsilon, 0.0, 0, false};  // (3)
  }
  static Guarantee guarantee(const SparseVectorConfig& config) {
    // One answer alone is just a noisy comparison.
    const double level =
        config.answers == 1 ? 0.5 * config.epsilon : std::numeric_limits<double>::infinity();
    return {PureDp{Epsilon{level}}, Relation::kAllAnswers, View::kOutput,
            "Lyu, Su, Li (PVLDB 2017), on algorithm 5: none"};
  }
};

struct SparseVector6Variant {
  static SparseVectorRule rule(const SparseVectorConfig& config) {
    return {config.threshold, 2.0 / config.epsilon, 2.0 / config.epsilon, 0, false};  // (4)
  }
  static Guarantee guarantee(const SparseVectorConfig& config) {
    return {PureDp{Epsilon{0.5 * static_cast<double>(config.answers) * config.epsilon}},
            Relation::kAllAnswers, View::kOutput, "one budget of eps/2 per answer: unbounded in n"};
  }
};

}  // namespace detail

using SparseVector4 = assay::detail::FlagSparseVector<detail::SparseVector4Variant>;
using SparseVector5 = assay::detail::FlagSparseVector<detail::SparseVector5Variant>;
using SparseVector6 = assay::detail::FlagSparseVector<detail::SparseVector6Variant>;

class SparseVector3 : public assay::detail::ReadsAnswers<SparseVectorConfig>,
                      public assay::detail::ReleasesOneOfMany<SparseVector3> {
 public:
  // For each answer: its noisy value, -infinity if it is below, NaN if it is not answered.
  using Output = std::vector<double>;

  static Result<SparseVector3> create(const Config& config);

  // Fills `out` with independent releases, one after another. Precondition: out.size() is a multiple of input.size().
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  double log_density(const Output& output, const Input& input) const;  // (5)

  Guarantee guarantee() const;
  const assay::detail::SparseVectorRule& rule() const { return rule_; }

 private:
  explicit SparseVector3(const Config& config);

  assay::detail::SparseVectorRule rule_;
};

static_assert(FiniteMechanism<SparseVector4> && FiniteMechanism<SparseVector5> &&
              FiniteMechanism<SparseVector6> && DensityMechanism<SparseVector3>);

}  // namespace assay::faulty
