// Follow the leader plays the expert with the least sum of losses so far. A baseline that is not private.
//
//   round t plays the expert argmin_j sum of l_(s,j) over s < t, the first if several are equal (1)
//
// Privacy. Relation: replace one loss vector. View: the actions. There is no level, since the actions are
// a function of the losses. guarantee() is eps = infinity.
// Reference: Kotlowski, "On minimaxity of follow the leader strategy in the stochastic setting"
// (Theoretical Computer Science 742, 2018).
// Threads: a value. The same actions on every machine. Cost: K additions and comparisons a round.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/concepts.hpp"

namespace assay {

struct FollowTheLeaderConfig {
  std::int64_t actions = 2;

  static void fields(auto&& visit) {
    visit(
        field("actions", &FollowTheLeaderConfig::actions, Range{2, 1e4}, "K", "number of experts"));
  }
};

class FollowTheLeader : public ExpertPolicy<FollowTheLeaderConfig> {
 public:
  static Result<FollowTheLeader> create(const Config& config) {
    ASSAY_TRY(validate(config));
    return FollowTheLeader(config);
  }

  int choose(ReplayStream&) const {
    return static_cast<int>(std::min_element(sums_.begin(), sums_.end()) - sums_.begin());  // (1)
  }
  void observe(std::span<const double> losses, ReplayStream&) {
    ASSAY_CHECK(losses.size() == sums_.size(), "one loss per expert");
    for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] += losses[j];
  }

  Guarantee guarantee() const {
    return {kNotPrivate, Relation::kReplaceOneLossVector, View::kActions,
            "follow the leader is not private: its actions are a function of the losses"};
  }

 private:
  explicit FollowTheLeader(const Config& config)
      : PolicyOf(config), sums_(static_cast<std::size_t>(config.actions), 0.0) {}

  std::vector<double> sums_;
};

static_assert(Policy<FollowTheLeader>);

}  // namespace assay
