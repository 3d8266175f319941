// Decreasing Hedge draws an expert in each round, with weights that are exponential in the losses so far. A
// baseline for stochastic losses that was not designed for privacy.
//
// Symbols: K actions, T horizon, c rate, L_j the sum of expert j's losses in rounds 1..t - 1.
//   round t plays the expert j with probability e^(-eta_t L_j) / sum over i of e^(-eta_t L_i),
//   eta_t = c sqrt(log(K) / t)                                                                 (1)
// It draws j as argmax_j -eta_t L_j + Gumbel noise                                           (2)
//
// Privacy. Relation: replace one loss vector. View: the actions.
//   eps = 4 c sqrt(log K) (sqrt(T) - 1), which grows with T                                    (3)
// Proof. One vector moves each L_j by at most 1 from round t on, and so the log of (1) by at most
// eta_t (max - min of the moves) <= 2 eta_t. The rounds 2..T add up, and the sum of t^(-1/2) over
// them is at most 2 (sqrt(T) - 1). (This is for noise in real numbers, which doubles round.)
// Regret: O(log(K)/gap) for independent losses with one gap, c = 2 (Theorem 2 of the reference).
// Reference: Mourtada, Gaiffas, "On the optimality of the Hedge algorithm in the stochastic regime"
// (JMLR 20, 2019).
// Threads: a value. The same bits on every machine. Cost: K Gumbel noises a round, 35 ns each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/concepts.hpp"

namespace assay {

struct HedgeConfig {
  std::int64_t actions = 2;
  std::int64_t horizon = 100;
  double rate = 2.0;

  static void fields(auto&& visit) {
    using C = HedgeConfig;
    visit(field("actions", &C::actions, Range{2, 1e4}, "K", "number of experts"));
    visit(field("horizon", &C::horizon, Range{1, 1e9}, "T", "number of rounds"));
    visit(field("rate", &C::rate, Range{1e-6, 1e3}, "c", "multiplier of the learning rate"));
  }
};

class Hedge : public ExpertPolicy<HedgeConfig> {
 public:
  static Result<Hedge> create(const Config& config);

  int choose(ReplayStream& random);  // draws K random numbers
  void observe(std::span<const double> losses, ReplayStream& random);

  // Log of (1) for the next round, for every expert.
  std::vector<double> log_probabilities() const;

  Guarantee guarantee() const;

 private:
  explicit Hedge(const Config& config);
  double learning_rate() const;  // eta of the next round

  std::vector<double> sums_;
  std::int64_t round_ = 0;  // rounds completed
};

static_assert(Policy<Hedge>);

}  // namespace assay
