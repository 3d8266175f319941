// Configurations of modified Thompson sampling.
#pragma once

#include <cstdint>

#include "assay/policies/bandits/modified_thompson_sampling.hpp"

namespace assay {

inline ModifiedThompsonSamplingConfig sampling_config(
    std::int64_t arms, std::int64_t horizon, std::int64_t pre_pulls = 0, double variance = 1.0,
    Calibration calibration = Calibration::kCorrected) {
  ModifiedThompsonSamplingConfig config;
  config.arms = arms;
  config.horizon = horizon;
  config.pre_pulls = pre_pulls;
  config.variance = variance;
  config.calibration = calibration;
  return config;
}

inline ModifiedThompsonSampling sampling_policy(const ModifiedThompsonSamplingConfig& config) {
  return ModifiedThompsonSampling::create(config).value();
}

}  // namespace assay
