// Our own bandit with two arms. It stays after a good reward and switches after a bad one, with probability
// e^eps / (1 + e^eps), and does the opposite otherwise.
//
// A reward changes the distribution of one round, by a factor of at most e^eps. So the policy is eps-DP for the
// relation "replace one reward".
#pragma once

#include <cmath>

#include "assay/policies/concepts.hpp"

struct StayOrSwitchConfig {
  std::int64_t horizon = 8;
  double epsilon = 1.0;

  static void fields(auto&& visit) {
    using C = StayOrSwitchConfig;
    visit(assay::field("horizon", &C::horizon, assay::Range{1, 1e6}, "T", "number of rounds"));
    visit(assay::field("epsilon", &C::epsilon, assay::Range{1e-3, 100}, "eps", "privacy level"));
  }
};

class StayOrSwitch {
 public:
  using Config = StayOrSwitchConfig;
  using Context = assay::NoContext;
  using Action = int;
  using Feedback = double;

  static assay::Result<StayOrSwitch> create(const Config& config) { return StayOrSwitch(config); }

  int choose(assay::ReplayStream& random) {
    return arm_ = random.uniform() < probability(1) ? 1 : 0;
  }
  void observe(double reward) { liked_ = reward >= 0.5 ? arm_ : 1 - arm_; }

  // With these two an audit computes the exact loss instead of counting runs.
  double log_probability(int arm) const { return std::log(probability(arm)); }
  void advance(int arm) { arm_ = arm; }

  assay::Guarantee guarantee() const {
    return {assay::PureDp{assay::Epsilon{config_.epsilon}}, assay::Relation::kReplaceOneReward,
            assay::View::kActions, "stay_or_switch.hpp"};
  }
  const Config& config() const { return config_; }

 private:
  explicit StayOrSwitch(const Config& config) : config_(config) {}

  double probability(int arm) const {
    if (liked_ < 0) return 0.5;
    const double truth = 1.0 / (1.0 + std::exp(-config_.epsilon));
    return arm == liked_ ? truth : 1.0 - truth;
  }

  Config config_;
  int arm_ = 0;
  int liked_ = -1;  // before the first reward
};
