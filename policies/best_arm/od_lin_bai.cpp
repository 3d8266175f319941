#include "assay/policies/best_arm/od_lin_bai.hpp"

#include <limits>
#include <numeric>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/best_arm/internal/create.hpp"
#include "assay/policies/best_arm/internal/planners.hpp"
#include "assay/policies/best_arm/linear_algebra.hpp"

namespace assay {
namespace {

std::int64_t rank_of(const ArmFeatures& features) {
  std::vector<int> everyone(static_cast<std::size_t>(features.arms));
  std::iota(everyone.begin(), everyone.end(), 0);
  return in_their_span(features, everyone).dimension;
}

}  // namespace

Result<OdLinBai> OdLinBai::create(const Config& config) {
  return detail::create_generated<OdLinBai>(config);
}

Result<OdLinBai> OdLinBai::create(Config config, const ArmFeatures& features) {
  ASSAY_TRY(detail::take_sizes(config, features));
  const detail::PlannerSetting setting{design_schedule(config.arms, rank_of(features)),
                                       config.budget, PhaseNoise::kNone, 0.0};
  auto planner = ASSAY_TRY(detail::make_moments_planner(setting, features, MomentNorm::kL1));
  return OdLinBai(config, std::move(planner));
}

Guarantee OdLinBai::guarantee() const {
  return {PureDp{Epsilon{std::numeric_limits<double>::infinity()}}, Relation::kReplaceOneColumn,
          View::kActions, "OD-LinBAI is not private: its actions are a function of the rewards"};
}

Result<DpOd> DpOd::create(const Config& config) { return detail::create_generated<DpOd>(config); }

Result<DpOd> DpOd::create(Config config, const ArmFeatures& features) {
  ASSAY_TRY(detail::take_sizes(config, features));
  const detail::PlannerSetting setting{design_schedule(config.arms, rank_of(features)),
                                       config.budget, PhaseNoise::kLaplace, 1.0 / config.epsilon};
  auto planner = ASSAY_TRY(detail::make_moments_planner(setting, features, config.norm));
  return DpOd(config, std::move(planner));
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
