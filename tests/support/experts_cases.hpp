// Policies with full information for tests.
#pragma once

#include <vector>

#include "assay/policies/experts/rnm_ftnl.hpp"

namespace assay {

inline RnmFtnlConfig ftnl_config(std::int64_t actions, std::int64_t horizon, LeaderNoise noise,
                                 bool resample = false,
                                 Calibration calibration = Calibration::kCorrected) {
  return RnmFtnlConfig{.actions = actions,
                       .horizon = horizon,
                       .noise = noise,
                       .resample = resample,
                       .calibration = calibration};
}

inline RnmFtnl ftnl(std::int64_t actions, std::int64_t horizon, LeaderNoise noise,
                    bool resample = false, Calibration calibration = Calibration::kCorrected) {
  return RnmFtnl::create(ftnl_config(actions, horizon, noise, resample, calibration)).value();
}

// The vector of K losses whose bits are those of `bits`.
inline std::vector<double> vertex(std::int64_t actions, std::uint64_t bits) {
  std::vector<double> row;
  for (std::int64_t j = 0; j < actions; ++j) row.push_back((bits >> j & 1) != 0 ? 1.0 : 0.0);
  return row;
}

}  // namespace assay
