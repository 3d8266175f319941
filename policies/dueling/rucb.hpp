// RUCB (relative upper confidence bounds) lets an arm that may beat all others duel with the rival that has
// the largest upper bound against it. A baseline that is not private.
//
// Symbols: u_ij of duel_counts.hpp, C the arms with u_ij >= 1/2 for all j, B the hypothesized best,
// at most one arm: B loses its arm when the arm leaves C, and becomes C when C is one arm.
//   c = a uniform arm if C is empty; the arm of C if it is alone; else B's with probability 1/2, if B
//   has one, and uniform on the others of C otherwise                                           (1)
//   d = argmax_j u_jc; of several, a uniform one other than c                                   (2)
//
// Privacy. Relation: replace the outcomes of one round. View: the actions. There is no level: eps = infinity.
// Reference: Zoghi, Whiteson, Munos, de Rijke, "Relative Upper Confidence Bound for the K-Armed
// Dueling Bandit Problem" (ICML 2014), Algorithm 1; alpha = 0.51 as in its experiments.
// Threads: a value. The same bits on every machine. Cost: O(K^2) a round, 0.8 us at K = 10.
#pragma once

#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/dueling/duel_counts.hpp"

namespace assay {

struct RucbConfig {
  std::int64_t arms = 2;
  double alpha = 0.51;

  static void fields(auto&& visit) {
    using C = RucbConfig;
    visit(field("arms", &C::arms, Range{2, kMostDuelingArms}, "K", "number of arms"));
    visit(field("alpha", &C::alpha, Range{0.5, 100}, "alpha", "factor of the width of the bounds"));
  }
};

class Rucb : public detail::CountsDuels<RucbConfig> {
 public:
  static Result<Rucb> create(const Config& config);

  // The duel of the next round; observe() must follow. Each choice among several draws a random number.
  Duel choose(ReplayStream& random);
  Guarantee guarantee() const;

  int hypothesized() const { return best_; }  // B; -1 for none

 private:
  using CountsDuels::CountsDuels;

  int choose_first(double confidence, ReplayStream& random);
  int choose_second(int first, double confidence, ReplayStream& random);

  int best_ = -1;
};

static_assert(Policy<Rucb>);

}  // namespace assay
