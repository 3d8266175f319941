// Configurations of modified Thompson sampling.
#pragma once

#include <cstdint>

#include "assay/policies/bandits/modified_thompson_sampling.hpp"

namespace assay {

inline ModifiedThompsonSamplingConfig sampling_config(
    std::int64_t arms, std::int64_t horizon, std::int64_t pre_pulls = 0, double variance = 1.0,
    Calibration calibration = Calibration::kCorrected) {
  return ModifiedThompsonSamplingConfig{.arms = arms,
                                        .horizon = horizon,
                                        .pre_pulls = pre_pulls,
                                        .variance = variance,
                                        .calibration = calibration};
}

inline ModifiedThompsonSampling sampling_policy(const ModifiedThompsonSamplingConfig& config) {
  return ModifiedThompsonSampling::create(config).value();
}

}  // namespace assay
