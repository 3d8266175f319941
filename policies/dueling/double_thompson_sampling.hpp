// Double Thompson sampling chooses both arms of a duel by samples. The first arm beats the most others in a
// sample of all preferences, among the arms that may win the most duels. The second arm is the best in a
// second sample, among the arms that may beat the first. A baseline that is not private.
//
// Symbols: w_ij, u_ij, l_ij of duel_counts.hpp; a uniform draw breaks ties.
//   C = argmax_i (number of j != i with u_ij > 1/2)                                             (1)
//   theta_ij ~ Beta(w_ij + 1, w_ji + 1) for i < j, theta_ji = 1 - theta_ij
//   a = argmax over C of (number of j != i with theta_ij > 1/2)                                 (2)
//   phi_i ~ Beta(w_ia + 1, w_ai + 1) for i != a, phi_a = 1/2
//   b = argmax of phi_i over the i with l_ia <= 1/2                                             (3)
// Beta draws are quotients of gamma draws.
//
// Privacy. Relation: replace the outcomes of one round. View: the actions. No level is claimed (eps =
// infinity). The actions are random, but the policy never plays an arm outside C or with l_ia > 1/2.
// Reference: Wu, Liu, "Double Thompson Sampling for Dueling Bandits" (NIPS 2016), Algorithm 1;
// alpha = 0.6 as in its experiments. Marsaglia, Tsang, "A simple method for generating gamma
// variables" (ACM TOMS 26, 2000). Threads: a value. The same bits on every machine. Cost: O(K^2)
// draws a round, 8 us at K = 10.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/concepts.hpp"
#include "assay/policies/dueling/duel_counts.hpp"

namespace assay {

struct DoubleThompsonSamplingConfig {
  std::int64_t arms = 2;
  double alpha = 0.6;

  static void fields(auto&& visit) {
    using C = DoubleThompsonSamplingConfig;
    visit(field("arms", &C::arms, Range{2, kMostDuelingArms}, "K", "number of arms"));
    visit(field("alpha", &C::alpha, Range{0.5, 100}, "alpha", "factor of the width of the bounds"));
  }
};

class DoubleThompsonSampling : public detail::CountsDuels<DoubleThompsonSamplingConfig> {
 public:
  static Result<DoubleThompsonSampling> create(const Config& config);

  // The duel of the next round; observe() must follow.
  Duel choose(ReplayStream& random);
  Guarantee guarantee() const;

 private:
  using CountsDuels::CountsDuels;

  int choose_first(double confidence, ReplayStream& random) const;
  int choose_second(int first, double confidence, ReplayStream& random) const;
};

static_assert(Policy<DoubleThompsonSampling>);

namespace detail {

// Draws from Beta(a, b), a, b >= 1. The result is in the open interval (0, 1) except for rounding.
double sample_beta(double a, double b, ReplayStream& random);

}  // namespace detail
}  // namespace assay
