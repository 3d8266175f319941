// The published sparse vector variants that are not as private as they claim (numbers 3 to 6 of
// Lyu, Su, Li), and the parallel pair of DP-Sniper's table.
//
// Notation and law: ../release/sparse_vector.hpp, c = cutoff, eps = epsilon, the level each claims.
//   3  b_rho = 2/eps, b_nu = 2 c/eps, releases v_i itself when above                           (1)
//   4  b_rho = 4/eps, b_nu = 4/(3 eps), stops after c                                          (2)
//   5  b_rho = 2/eps, no noise on the answers, never stops                                     (3)
//   6  b_rho = 2/eps, b_nu = 2/eps, never stops                                                (4)
//
// Privacy. Relation: every answer moves by at most 1. View: the output. What is wrong, and the
// level that holds, for n answers:
//   3  The value shows that z <= v - T, so the answers below can no longer pay with z's noise. The
//      density is prod f_nu(v_i - q_i) over those above times the integral over z <= min v - T of
//      f_rho(z) prod F_nu(T + z - q_j) over those below (5). Each factor moves by at most
//      e^(eps/(2 c)), so the level is at most n eps/(2 c). It is attained: all answers rise by 1,
//      the value falls without bound. Infinite as n grows (Lyu et al.).
//   4  The answers' noise does not grow with c: ((1 + 6 c)/4) eps-DP, from a shift of z by 1 for
//      the answers below and e^(2/b_nu) for each of the c above.
//   5  Two answers that differ by 1 and lie on either side of T + z cannot come out in the opposite
//      order: from answers (1, 1) the output (above, below) has probability 0, from (2, 0) it has
//      not. Infinite for every n >= 2.
//   6  Every answer above costs its own budget and nothing stops: at most n eps/2 (each factor of
//      the law moves by e^(eps/2) at most), and infinite as n grows (Lyu et al.).
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
    // One answer alone is a noisy comparison.
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

class SparseVector3 {
 public:
  using Config = SparseVectorConfig;
  using Input = std::span<const double>;
  // Per answer: the value, -infinity below, NaN not answered.
  using Output = std::vector<double>;

  static Result<SparseVector3> create(const Config& config);

  Status check_input(const Input& input) const {
    return assay::detail::check_answers(input, static_cast<std::size_t>(config_.answers));
  }
  template <RandomSource R>
  Output release(const Input& input, R& random) const;
  // out.size() is a multiple of input.size().
  template <RandomSource R>
  void release_many(const Input& input, R& random, std::span<double> out) const;
  double log_density(const Output& output, const Input& input) const;  // (5)

  Guarantee guarantee() const;
  const Config& config() const { return config_; }
  const assay::detail::SparseVectorRule& rule() const { return rule_; }

 private:
  explicit SparseVector3(const Config& config);

  Config config_;
  assay::detail::SparseVectorRule rule_;
};

static_assert(FiniteMechanism<SparseVector4> && FiniteMechanism<SparseVector5> &&
              FiniteMechanism<SparseVector6> && DensityMechanism<SparseVector3>);

}  // namespace assay::faulty
