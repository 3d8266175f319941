#include "assay/policies/best_arm/od_lin_bai.hpp"

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/best_arm/internal/planners.hpp"
#include "assay/policies/linear/linear_algebra.hpp"

namespace assay {
namespace {

detail::Planner moments_planner(std::int64_t budget, const ArmFeatures& features, PhaseNoise noise,
                                double scale, MomentNorm norm) {
  const auto rank = in_their_span(features, all_arms(features.arms)).dimension;
  return detail::make_moments_planner({design_schedule(features.arms, rank), budget, noise, scale},
                                      features, norm);
}

}  // namespace

detail::Planner OdLinBai::make_planner(const Config& config, const ArmFeatures& features) {
  return moments_planner(config.budget, features, PhaseNoise::kNone, 0.0, MomentNorm::kL1);
}

Guarantee OdLinBai::guarantee() const {
  return {kNotPrivate, Relation::kReplaceOneColumn, View::kActions,
          "OD-LinBAI is not private: its actions are a function of the rewards"};
}

detail::Planner DpOd::make_planner(const Config& config, const ArmFeatures& features) {
  return moments_planner(config.budget, features, PhaseNoise::kLaplace, 1.0 / config.epsilon,
                         config.norm);
}

Guarantee DpOd::guarantee() const {
  return {
      PureDp{Epsilon{config().epsilon}}, Relation::kReplaceOneColumn, View::kActions,
      config().norm == MomentNorm::kL1
          ? "Fixed-Budget Differentially Private Best Arm Identification, Appendix E.1: Laplace "
            "noise of the l1 sensitivity of the moments"
          : "Fixed-Budget Differentially Private Best Arm Identification, Appendix E.1, read "
            "with the l2 norm"};
}

}  // namespace assay
