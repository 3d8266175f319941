#include "assay/policies/best_arm/sequential_halving.hpp"

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/best_arm/internal/planners.hpp"

namespace assay {

Result<SequentialHalving> SequentialHalving::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const detail::PlannerSetting setting{halving_schedule(config.arms), config.budget,
                                       PhaseNoise::kNone, 0.0};
  auto planner = ASSAY_TRY(detail::make_means_planner(setting, nullptr));
  return SequentialHalving(config, std::move(planner));
}

Guarantee SequentialHalving::guarantee() const {
  return {kNotPrivate, Relation::kReplaceOneColumn, View::kActions,
          "sequential halving is not private: its actions are a function of the rewards"};
}

}  // namespace assay
