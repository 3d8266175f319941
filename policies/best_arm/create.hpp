// Creates policies with features: from features that the configuration generates, or from given ones.
// `planner_of(config, features)` makes the policy's planner.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/linear/features.hpp"

namespace assay::detail {

template <class P, class PlannerOf>
Result<P> create_generated(const typename P::Config& config, const PlannerOf& planner_of) {
  ASSAY_TRY(validate(config));
  const auto features =
      ASSAY_TRY(generated_features(config.features, config.arms, config.dimension,
                                   static_cast<std::uint64_t>(config.feature_seed)));
  return P(config, ASSAY_TRY(planner_of(config, features)));
}

// The configuration then has the features' sizes, and states that it does not identify the policy.
template <class P, class PlannerOf>
Result<P> create_given(typename P::Config config, const ArmFeatures& features,
                       const PlannerOf& planner_of) {
  ASSAY_TRY(check_features(features));
  config.arms = features.arms;
  config.dimension = features.dimension;
  config.features = FeatureKind::kGiven;
  ASSAY_TRY(validate(config));
  return P(config, ASSAY_TRY(planner_of(config, features)));
}

}  // namespace assay::detail
