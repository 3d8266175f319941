// Sequential halving pulls all active arms evenly and keeps the better half, until one is left. A baseline
// that is not private and uses no features.
//
// Symbols: K arms, T budget, ceil(log2 K) phases of T/ceil(log2 K) pulls each.
//   phase p pulls the s_p active arms evenly and keeps the ceil(s_p/2) with the largest means   (1)
// Shares of phases and arms are rounded down; the first ones get one more pull from the remainder (schedule.hpp).
//
// Privacy. There is no level (eps = infinity), since the actions are a function of the rewards.
// Reference: Karnin, Koren, Somekh, "Almost Optimal Exploration in Multi-Armed Bandits" (ICML
// 2013), Algorithm "Sequential Halving".
// Threads: a value. The same bits on every machine. Cost: phased_policy.hpp.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/best_arm/phased_policy.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/linear/features.hpp"

namespace assay {

struct SequentialHalvingConfig {
  std::int64_t arms = 2;
  std::int64_t budget = 200;

  static void fields(auto&& visit) {
    using C = SequentialHalvingConfig;
    visit(field("arms", &C::arms, Range{2, kMostArms}, "K", "number of arms"));
    visit(field("budget", &C::budget, Range{1, 1e9}, "T", "number of pulls in all"));
  }
};

class SequentialHalving : public PhasedPolicyOf<SequentialHalvingConfig> {
 public:
  using PhasedPolicyOf::PhasedPolicyOf;

  static Result<SequentialHalving> create(const Config& config);

  Guarantee guarantee() const;
};

static_assert(Policy<SequentialHalving>);

}  // namespace assay
