// Our own bandit with two arms. It stays after a good reward and switches after a bad one, with probability
// e^eps / (1 + e^eps). A reward changes the distribution of one round, so the policy is eps-DP.
//
// kBroken is the same policy with a mistake: it doubles eps, and still states eps.
#pragma once

#include <cmath>

#include "assay/policies/concepts.hpp"

struct StayConfig {
  std::int64_t horizon = 8;
  double epsilon = 1.0;

  static void fields(auto&& visit) {
    using C = StayConfig;
    visit(assay::field("horizon", &C::horizon, assay::Range{1, 1e6}, "T", "number of rounds"));
    visit(assay::field("epsilon", &C::epsilon, assay::Range{1e-3, 100}, "eps", "privacy level"));
  }
};

template <bool kBroken>
class StayPolicy : public assay::BanditPolicy<StayConfig> {
 public:
  static assay::Result<StayPolicy> create(const StayConfig& config) { return StayPolicy(config); }

  int choose(assay::ReplayStream& random) {
    return arm_ = random.uniform() < probability(1) ? 1 : 0;
  }
  void observe(double reward) { liked_ = reward >= 0.5 ? arm_ : 1 - arm_; }

  // With these two the checks compute exact losses instead of counting runs.
  double log_probability(int arm) const { return std::log(probability(arm)); }
  void advance(int arm) { arm_ = arm; }

  assay::Guarantee guarantee() const {
    return {assay::PureDp{assay::Epsilon{config().epsilon}}, assay::Relation::kReplaceOneReward,
            assay::View::kActions, "own_policy.hpp"};
  }

 private:
  explicit StayPolicy(const StayConfig& config) : assay::BanditPolicy<StayConfig>(config) {}

  double probability(int arm) const {
    if (liked_ < 0) return 0.5;
    const double truth = 1.0 / (1.0 + std::exp(-config().epsilon * (kBroken ? 2.0 : 1.0)));
    return arm == liked_ ? truth : 1.0 - truth;
  }

  int arm_ = 0;
  int liked_ = -1;  // before the first reward
};
