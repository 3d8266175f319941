// Plays a uniform arm in every round, as the baseline with perfect privacy.
//
// Privacy. Relation: replace one round. View: all actions but that round's. No action reads anything:
// eps = 0.
// Reference: Chakraborty, Roy, Basu, "FLIPHAT", section 6. Threads: a value. Cost: one random number per round.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/sparse/contexts.hpp"

namespace assay {

struct RandomArmConfig {
  std::int64_t arms = 2;

  static void fields(auto&& visit) {
    visit(field("arms", &RandomArmConfig::arms, Range{2, kMostContextArms}, "K", "number of arms"));
  }
};

class RandomArm : public ContextPolicy<RandomArmConfig> {
 public:
  static Result<RandomArm> create(const Config& config) {
    ASSAY_TRY(validate(config));
    return RandomArm(config);
  }

  int choose(const ContextSet&, ReplayStream& random) const {
    return static_cast<int>(uniform_below(random, static_cast<std::uint64_t>(config_.arms)));
  }
  void observe(double) {}

  Guarantee guarantee() const {
    return {PureDp{Epsilon{0.0}}, Relation::kReplaceOneUser, View::kOtherActions,
            "no action reads anything"};
  }

 private:
  using PolicyOf::PolicyOf;
};

static_assert(Policy<RandomArm>);

}  // namespace assay
