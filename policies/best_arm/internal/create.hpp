// What the create() of every policy with features begins with.
#pragma once

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/best_arm/features.hpp"

namespace assay::detail {

template <class P>
Result<P> create_generated(const typename P::Config& config) {
  ASSAY_TRY(validate(config));
  const auto features =
      ASSAY_TRY(generated_features(config.features, config.arms, config.dimension,
                                   static_cast<std::uint64_t>(config.feature_seed)));
  return P::create(config, features);
}

// The sizes of `features`, and a valid configuration with them.
template <class Config>
Status take_sizes(Config& config, const ArmFeatures& features) {
  ASSAY_TRY(check_features(features));
  config.arms = features.arms;
  config.dimension = features.dimension;
  return validate(config);
}

}  // namespace assay::detail
