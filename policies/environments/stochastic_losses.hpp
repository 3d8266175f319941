// An environment of experts with new random losses in each round (two_point_losses.hpp). It gives them row by
// row, or as counts of a block of rounds for an EpochPolicy.
//
// The reward of an action is one minus its loss. Regrets sum losses in the order of the rounds.
// Threads: a value that holds a row; use one per run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "assay/policies/environments/environment.hpp"
#include "assay/policies/environments/two_point_losses.hpp"

namespace assay {

class StochasticLosses {
 public:
  explicit StochasticLosses(TwoPointLosses losses)
      : losses_(std::move(losses)), row_(losses_.means().size()), counts_(row_.size()) {
    for (const double mean : losses_.means()) means_.push_back(1.0 - mean);
  }

  // The losses of all experts, whatever the action.
  std::span<const double> feedback(std::int64_t, int, ReplayStream& random) {
    losses_.losses(random, row_);
    return row_;
  }
  LossCounts block(std::int64_t rounds, ReplayStream& random) {
    losses_.high_counts(rounds, random, counts_);
    return {losses_.distributions(), counts_, rounds};
  }

  std::span<const double> means() const { return means_; }
  double gap(int action) const { return losses_.gap(action); }
  static double earned(int action, std::span<const double> losses) {
    return -losses[static_cast<std::size_t>(action)];
  }
  static double earned(int action, const LossCounts& block) {
    return -block.total(static_cast<std::size_t>(action));
  }
  double best() const { return -*std::min_element(losses_.means().begin(), losses_.means().end()); }

 private:
  TwoPointLosses losses_;
  std::vector<double> means_;  // the mean reward of each expert
  std::vector<double> row_;
  std::vector<std::int64_t> counts_;
};

static_assert(StochasticEnvironment<StochasticLosses>);

}  // namespace assay
