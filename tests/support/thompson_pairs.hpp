// Fresh pair processes of Thompson sampling for tests.
#pragma once

#include "assay/auditors/bandits/thompson_pair.hpp"
#include "assay/tests/support/stream_pair.hpp"

namespace assay {

inline ModifiedThompsonSamplingConfig thompson_config(std::int64_t arms, std::int64_t horizon,
                                                      std::int64_t pre_pulls = 0) {
  return ModifiedThompsonSamplingConfig{.arms = arms, .horizon = horizon, .pre_pulls = pre_pulls};
}

inline ThompsonPair<> thompson_pair(std::int64_t arms, InputPair pair, std::int64_t pre_pulls = 0) {
  const std::int64_t horizon = pair.base_input().rows;
  return ThompsonPair<>(
      ModifiedThompsonSampling::create(thompson_config(arms, horizon, pre_pulls)).value(),
      std::make_shared<const InputPair>(std::move(pair)));
}

}  // namespace assay
