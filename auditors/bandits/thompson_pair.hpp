// Thompson sampling on two reward streams that differ in one round: the pair process of its audits.
//
// Private input: the reward stream r_1..r_T; the reward of round t is r_t whichever arm is played.
// Relation: replace one reward. The adversary sees the actions. The likelihood is exact: a product over
// rounds of Gaussian noisy-max probabilities. Up to the changed round the states on D and D'
// agree. Afterwards they have the same counts and scales, and the same means except that of the
// changed round's arm, so one quadrature serves both.
//
// Augmented release (all theta): in a round after the change, arm j's theta moves by
// |r - r'|/(n_j + 1) against a standard deviation sqrt(c/(n_j + 1)), so
//     mu_t^2 = (r - r')^2 / (c (n_j + 1)),   mu^2 = sum_t mu_t^2,                           (1)
// and n_j is at least the count that the changed arm has just after the change.
// Reference: Ou, Avella Medina, Cummings, "Thompson Sampling Itself is Differentially Private",
// Lemmas 3 and 5; the sum over rounds is adaptive GDP composition (their Lemma 2).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "assay/auditors/methods/pair_process.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// The policy is a template parameter, so that the same audit runs on policies with planted faults.
template <class Policy = ModifiedThompsonSampling>
class ThompsonPair : public CopiedPairProcess<ThompsonPair<Policy>> {
 public:
  ThompsonPair(const Policy& fresh, std::shared_ptr<const InputPair> pair)
      : fresh_(fresh), base_(fresh), neighbour_(fresh), pair_(std::move(pair)) {}

  std::int64_t horizon() const override { return fresh_.config().horizon; }
  int action_count() const override { return static_cast<int>(fresh_.config().arms); }
  std::int64_t round() const override { return round_; }
  bool agrees() const override { return changed_ < 0; }
  bool forced() const override { return round_ < fresh_.config().pre_pulls * fresh_.config().arms; }

  void restart() override {
    base_ = fresh_;
    neighbour_ = fresh_;
    round_ = 0;
    last_action_ = -1;
    changed_ = -1;
  }

  int draw(Side side, ReplayStream& random) override {
    return side == Side::kBase ? base_.choose(random) : neighbour_.choose(random);
  }

  PairLogProbability log_probability(int action, ArgmaxPrecision precision) const override {
    if (forced()) {
      const double lp = action == forced_arm() ? 0.0 : -std::numeric_limits<double>::infinity();
      return {lp, lp};
    }
    if (agrees()) {
      const double lp = log_argmax_probability(base_.means(), base_.scales(), action, precision);
      return {lp, lp};
    }
    const double changed_mean = neighbour_.means()[static_cast<std::size_t>(changed_)];
    if (precision == ArgmaxPrecision::kSampling) {
      return grid_.log_probability_pair(base_.means(), base_.scales(), changed_, changed_mean,
                                        action);
    }
    return log_argmax_probability_pair(base_.means(), base_.scales(), changed_, changed_mean,
                                       action, precision);
  }

  void log_probabilities(ArgmaxPrecision precision, std::span<double> log_p,
                         std::span<double> log_q) const override {
    if (forced()) {
      std::fill(log_p.begin(), log_p.end(), -std::numeric_limits<double>::infinity());
      log_p[static_cast<std::size_t>(forced_arm())] = 0.0;
      std::copy(log_p.begin(), log_p.end(), log_q.begin());
    } else if (agrees()) {
      log_argmax_probabilities(base_.means(), base_.scales(), precision, log_p);
      std::copy(log_p.begin(), log_p.end(), log_q.begin());
    } else {
      log_argmax_probabilities_pair(base_.means(), base_.scales(), changed_,
                                    neighbour_.means()[static_cast<std::size_t>(changed_)],
                                    precision, log_p, log_q);
    }
  }

  void advance(int action) override {
    const double reward = pair_->base_input().values[static_cast<std::size_t>(round_)];
    const double neighbour_reward =
        round_ == pair_->changed_row() ? pair_->neighbour_row()[0] : reward;
    base_.advance(action);
    base_.observe(reward);
    neighbour_.advance(action);
    neighbour_.observe(neighbour_reward);
    if (neighbour_reward != reward) changed_ = action;
    last_action_ = action;
    ++round_;
  }

  UpperBound<Mu> augmented_mu() const override {
    const auto& config = fresh_.config();
    const double move = std::fabs(pair_->base_row()[0] - pair_->neighbour_row()[0]);
    const std::int64_t forced_rounds = config.pre_pulls * config.arms;
    const std::int64_t changed = pair_->changed_row() + 1;
    const bool in_pre_pulls = changed <= forced_rounds;
    const double noisy_rounds =
        static_cast<double>(config.horizon - std::max(changed, forced_rounds));
    const double least_count =
        static_cast<double>(in_pre_pulls ? config.pre_pulls : config.pre_pulls + 1);
    return {Mu{move * std::sqrt(noisy_rounds / (config.variance * (least_count + 1.0)))}};  // (1)
  }

  // The reward of the previous round, at the arm that earned it, for the probability check.
  void lagged_rewards(Side side, std::vector<double>& out) const override {
    out.assign(static_cast<std::size_t>(action_count()), 0.0);
    if (round_ == 0) return;
    out[static_cast<std::size_t>(last_action_)] = side == Side::kNeighbour
                                                      ? pair_->neighbour_row(round_ - 1)[0]
                                                      : pair_->base_input().row(round_ - 1)[0];
  }

  const InputPair& pair() const { return *pair_; }

 private:
  int forced_arm() const { return static_cast<int>(round_ / fresh_.config().pre_pulls); }

  Policy fresh_;
  Policy base_;
  Policy neighbour_;
  std::shared_ptr<const InputPair> pair_;
  std::int64_t round_ = 0;
  int last_action_ = -1;
  mutable GaussianArgmaxGrid grid_;
  int changed_ = -1;  // the arm that was played in the changed round; -1 while D and D' agree
};

}  // namespace assay
