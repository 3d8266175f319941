// DP-BAI, its Gaussian variant and its Baseline find the best arm with a fixed budget, by successive
// elimination on private means. If the active arms of a phase are many for their rank, the phase pulls only
// a Max-Det collection of them.
//
// Symbols: K arms with features a_i in R^d, T budget; A_p the s_p active arms of phase p, d_p the
// rank of their features; schedule.hpp gives s_p and the share of T that phase p pulls.
//   B_p = a Max-Det collection of A_p (linear_algebra.hpp) if d_p < sqrt(s_p), else A_p         (1)
//   n_j pulls of each j in B_p, even; m_j the mean of their rewards, of this phase alone
//   y_j = m_j + Laplace(1/(eps n_j)), j in B_p; y_i = sum_j alpha_ij y_j for the other i        (2)
//   A_{p+1}: the s_{p+1} arms with the largest y; the last one is recommended                   (3)
// In (2) DP-BAI-Gauss uses normal noise of standard deviation c/n_j:
//   paper: c = sqrt(2 log(1.25/delta))/eps;  corrected: the smallest for (eps, delta)           (4)
// Baseline has B_p = A_p always.
//
// Privacy. Relation: replace one cell of the reward table by pull, or one column of the table by
// time; the level is the same (Corollary C.6; reward_table.hpp). View: the actions and the
// recommendation. DP-BAI and Baseline are eps-DP: a cell enters one mean, as the n-th of n_j rewards,
// so it moves one value of (2) by at most 1/n_j, which is eps times its scale; all else follows from (2).
// DP-BAI-Gauss is (eps, delta)-DP by the same argument if (4) is enough for one mean. The corrected scale
// always is. The paper's is enough only for eps < 1, although Proposition D.2 claims it for any eps.
// Reference: Chen, Karthik, Chee, Tan, "Fixed-Budget Differentially Private Best Arm
// Identification" (ICLR 2024), Algorithms 1 and 2, Propositions 4.1 and D.2.
// Threads: values. The same bits on every machine. Cost: phased_policy.hpp.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/best_arm/phased_policy.hpp"
#include "assay/policies/best_arm/schedule.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/linear/features.hpp"

namespace assay {
namespace detail {

// The fields that describe an instance with features and a budget.
template <class C>
void best_arm_fields(auto&& visit) {
  visit(field("arms", &C::arms, Range{2, kMostArms}, "K", "number of arms"));
  visit(field("dimension", &C::dimension, Range{1, kMostDimension}, "d", "features of an arm"));
  visit(field("budget", &C::budget, Range{1, 1e9}, "T", "number of pulls in all"));
  visit(field("features", &C::features, Range{}, "", "how features are made"));
  visit(field("feature_seed", &C::feature_seed, Range{0, 1e9}, "", "seed of drawn features"));
}

}  // namespace detail

struct DpBaiConfig {
  std::int64_t arms = 2;
  std::int64_t dimension = 2;
  std::int64_t budget = 200;
  FeatureKind features = FeatureKind::kSphere;
  std::int64_t feature_seed = 1;
  double epsilon = 1.0;
  Schedule schedule = Schedule::kProof;

  static void fields(auto&& visit) {
    using C = DpBaiConfig;
    detail::best_arm_fields<C>(visit);
    visit(field("epsilon", &C::epsilon, Range{1e-6, 1e6}, "eps", "privacy level"));
    visit(field("schedule", &C::schedule, Range{}, "", "how many arms each phase keeps"));
  }
};

class DpBai : public FeaturedPolicyOf<DpBai, DpBaiConfig> {
 public:
  using FeaturedPolicyOf::FeaturedPolicyOf;

  static detail::Planner make_planner(const Config& config, const ArmFeatures& features);
  Guarantee guarantee() const;
};

struct DpBaiGaussConfig {
  std::int64_t arms = 2;
  std::int64_t dimension = 2;
  std::int64_t budget = 200;
  FeatureKind features = FeatureKind::kSphere;
  std::int64_t feature_seed = 1;
  double epsilon = 0.5;
  double delta = 1e-5;
  Calibration calibration = Calibration::kCorrected;
  Schedule schedule = Schedule::kProof;

  static void fields(auto&& visit) {
    using C = DpBaiGaussConfig;
    detail::best_arm_fields<C>(visit);
    visit(field("epsilon", &C::epsilon, Range{1e-6, 1e6}, "eps", "privacy level"));
    visit(field("delta", &C::delta, Range{1e-300, 0.5}, "delta", "privacy level"));
    visit(field("calibration", &C::calibration, Range{}, "", "classical or exact noise"));
    visit(field("schedule", &C::schedule, Range{}, "", "how many arms each phase keeps"));
  }
};

class DpBaiGauss : public FeaturedPolicyOf<DpBaiGauss, DpBaiGaussConfig> {
 public:
  using FeaturedPolicyOf::FeaturedPolicyOf;

  static detail::Planner make_planner(const Config& config, const ArmFeatures& features);
  Guarantee guarantee() const;
};

// The Baseline of the paper's section 5: DP-BAI without lines 6 to 13.
class BaiBaseline : public FeaturedPolicyOf<BaiBaseline, DpBaiConfig> {
 public:
  using FeaturedPolicyOf::FeaturedPolicyOf;

  static detail::Planner make_planner(const Config& config, const ArmFeatures& features);
  Guarantee guarantee() const;
};

static_assert(Policy<DpBai> && Policy<DpBaiGauss> && Policy<BaiBaseline>);

}  // namespace assay
