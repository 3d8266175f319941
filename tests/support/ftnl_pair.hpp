// RNM-FTNL on two loss sequences that differ in one vector, as a pair process: the loss of the whole
// transcript, which the audit says is that of one draw.
//
// Private input: the loss sequence. Relation: replace one loss vector. View: the actions. An
// epoch's action is drawn from the law of (the epoch before's losses), which no action enters: the
// law of a transcript is the product of the epochs' laws, equal on both sides but for the one after
// the changed vector's epoch. That one draw is all of the privacy loss,
//     L = log P(J_r = j) - log Q(J_r = j), r the epoch of the changed vector,                  (1)
// and none where no later epoch is played (2^r > T).
// Threads: a value; copies share the laws. Cost: the laws of all epochs at construction.
#pragma once

#include <bit>

#include "assay/auditors/experts/ftnl_worst.hpp"
#include "assay/auditors/methods/pair_process.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/experts/ftnl_distribution.hpp"
#include "assay/policies/inputs/input_table.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

class FtnlPair final : public CopiedPairProcess<FtnlPair> {
 public:
  FtnlPair(const RnmFtnl& fresh, std::shared_ptr<const InputPair> pair)
      : fresh_(fresh), epoch_base_(fresh), epoch_neighbour_(fresh), pair_(std::move(pair)) {
    auto distributions = std::make_shared<Distributions>();
    const auto actions = static_cast<std::size_t>(action_count());
    const std::vector<double> uniform(actions, -portable_log(static_cast<double>(actions)));
    distributions->base_side.push_back(uniform);
    distributions->neighbour_side.push_back(uniform);
    for (int r = 1; r <= last_read_epoch(horizon()); ++r) {
      distributions->base_side.push_back(leader_distribution(fresh_, r, [&](std::int64_t t) {
                                           return pair_->base_input().row(t);
                                         }).log_p);
      distributions->neighbour_side.push_back(
          r == changed_epoch()
              ? leader_distribution(fresh_, r,
                                    [&](std::int64_t t) { return pair_->neighbour_row(t); })
                    .log_p
              : distributions->base_side.back());
    }
    distributions_ = std::move(distributions);
  }

  std::int64_t horizon() const override { return fresh_.config().horizon; }
  int action_count() const override { return static_cast<int>(fresh_.config().actions); }
  std::int64_t round() const override { return round_; }
  bool forced() const override {
    return !std::has_single_bit(static_cast<std::uint64_t>(round_ + 1));
  }
  bool agrees() const override {
    return pair_->differing() == 0 || pair_->changed_row() >= round_ ||
           summed_epoch() != changed_epoch();
  }

  void restart() override {
    epoch_base_ = fresh_;
    epoch_neighbour_ = fresh_;
    round_ = 0;
    action_ = -1;
  }

  // Resamples are drawn with the action that they decide: the epoch is played from its start.
  int draw(Side side, ReplayStream& random) override {
    if (forced()) return action_;
    RnmFtnl policy = side == Side::kBase ? epoch_base_ : epoch_neighbour_;
    for (std::int64_t t = epoch_start_; t < round_; ++t) {
      policy.observe(side == Side::kBase ? pair_->base_input().row(t) : pair_->neighbour_row(t),
                     random);
    }
    return policy.choose(random);
  }

  PairLogProbability log_probability(int action, ArgmaxPrecision) const override {
    if (forced()) {
      const double lp = action == action_ ? 0.0 : -std::numeric_limits<double>::infinity();
      return {lp, lp};
    }
    const auto r = drawn_epoch();
    const auto j = static_cast<std::size_t>(action);
    return {distributions_->base_side[r][j], distributions_->neighbour_side[r][j]};
  }

  void log_probabilities(ArgmaxPrecision precision, std::span<double> log_p,
                         std::span<double> log_q) const override {
    for (int j = 0; j < action_count(); ++j) {
      const auto both = log_probability(j, precision);
      log_p[static_cast<std::size_t>(j)] = both.p;
      log_q[static_cast<std::size_t>(j)] = both.q;
    }
  }

  void advance(int action) override {
    if (!forced()) {
      // What the policies draw while they are led through an epoch is never used.
      ReplayStream unused({.purpose = hash_purpose("ftnl/led")});
      for (RnmFtnl* policy : {&epoch_base_, &epoch_neighbour_}) {
        for (std::int64_t t = epoch_start_; t < round_; ++t) {
          policy->observe(pair_->base_input().row(t), unused);
        }
        policy->advance(action);
      }
      epoch_start_ = round_;
      action_ = action;
    }
    ++round_;
  }

  const InputPair& pair() const { return *pair_; }

 private:
  struct Distributions {  // of J_0, J_1, ...
    std::vector<std::vector<double>> base_side;
    std::vector<std::vector<double>> neighbour_side;
  };

  int changed_epoch() const { return epoch_of(pair_->changed_row() + 1); }
  // J_r begins to be played in round 2^r.
  std::size_t drawn_epoch() const { return static_cast<std::size_t>(epoch_of(round_ + 1) - 1); }
  int summed_epoch() const { return round_ == 0 ? 0 : epoch_of(round_); }

  RnmFtnl fresh_;
  RnmFtnl epoch_base_;  // as after the first choice of the current epoch
  RnmFtnl epoch_neighbour_;
  std::shared_ptr<const InputPair> pair_;
  std::shared_ptr<const Distributions> distributions_;
  std::int64_t round_ = 0;
  std::int64_t epoch_start_ = 0;  // rounds played before the current epoch's first
  int action_ = -1;
};

}  // namespace assay
