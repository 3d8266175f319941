// OD-LinBAI, which eliminates arms by G-optimal designs and is not private, and DP-OD, which adds
// Laplace noise to its moments.
//
// Symbols: K arms with features a_i in R^d of rank d, T budget, max(1, ceil(log2 d)) phases; A_p
// the active arms of phase p, s_1 = K and s_{p+1} = ceil(d/2^p); x_i the features of i in A_p in
// R^{d_p}: in the first phase's coordinates if A_p spans them, else in an orthonormal basis of its
// own span. Later phases do not inherit that basis, so that a plan is a function of A_p alone.
//   w = a G-optimal design of A_p (linear_algebra.hpp), n_j pulls of arm j close to w_j times
//   those of the phase (schedule.hpp), S_j the sum of their rewards
//   U = sum_j S_j x_j,  G = sum_j n_j x_j x_j^T,  score of i: x_i^T G^-1 U                      (1)
//   A_{p+1}: the s_{p+1} arms with the largest score
// DP-OD uses U + (d_p independent Laplace(L/eps)) in (1), L = max over i in A_p of ||x_i||      (2)
//
// The paper writes the norm of (2) without its index, over all arms and d coordinates. We read it in
// the coordinates and arms of the phase. With l2, L is then largest in the first phase. With l1 a later
// basis can increase it (from 1.3066 to 1.4142 for two arms 45 degrees apart), so the printed reading,
// with the first L in every phase, would have a loss of 1.0824 eps.
// Privacy. Relation and view are those of dp_bai.hpp. OD-LinBAI has no level. In DP-OD a cell moves U
// by at most x_j, so Laplace noise needs norm = l1, and the policy is then eps-DP. With norm = l2
// the level is up to sqrt(d) eps. guarantee() then repeats the paper's claim, which is false if an arm
// has several features that are not 0.
// Reference: Yang, Tan, "Minimax Optimal Fixed-Budget Best Arm Identification in Linear Bandits"
// (NeurIPS 2022), Algorithm 1; Chen, Karthik, Chee, Tan (ICLR 2024), Appendix E.
// Threads: values. The same bits on every machine. Cost: phased_policy.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/phased_policy.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/linear/features.hpp"

namespace assay {

enum class MomentNorm { kL1, kL2 };
constexpr std::array<std::pair<MomentNorm, std::string_view>, 2> enum_names(MomentNorm) {
  return {{{MomentNorm::kL1, "l1"}, {MomentNorm::kL2, "l2"}}};
}

struct OdLinBaiConfig {
  std::int64_t arms = 2;
  std::int64_t dimension = 2;
  std::int64_t budget = 200;
  FeatureKind features = FeatureKind::kSphere;
  std::int64_t feature_seed = 1;

  static void fields(auto&& visit) { detail::best_arm_fields<OdLinBaiConfig>(visit); }
};

class OdLinBai : public FeaturedPolicyOf<OdLinBai, OdLinBaiConfig> {
 public:
  using FeaturedPolicyOf::FeaturedPolicyOf;

  static detail::Planner make_planner(const Config& config, const ArmFeatures& features);
  Guarantee guarantee() const;
};

struct DpOdConfig {
  std::int64_t arms = 2;
  std::int64_t dimension = 2;
  std::int64_t budget = 200;
  FeatureKind features = FeatureKind::kSphere;
  std::int64_t feature_seed = 1;
  double epsilon = 1.0;
  MomentNorm norm = MomentNorm::kL1;

  static void fields(auto&& visit) {
    using C = DpOdConfig;
    detail::best_arm_fields<C>(visit);
    visit(field("epsilon", &C::epsilon, Range{1e-6, 1e6}, "eps", "privacy level"));
    visit(field("norm", &C::norm, Range{}, "", "norm of the features that scales the noise"));
  }
};

class DpOd : public FeaturedPolicyOf<DpOd, DpOdConfig> {
 public:
  using FeaturedPolicyOf::FeaturedPolicyOf;

  static detail::Planner make_planner(const Config& config, const ArmFeatures& features);
  Guarantee guarantee() const;
};

static_assert(Policy<OdLinBai> && Policy<DpOd>);

}  // namespace assay
