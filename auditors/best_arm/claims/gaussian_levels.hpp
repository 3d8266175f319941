// The levels at which the classical constant of the Gaussian mechanism is enough for DP-BAI-Gauss.
//
// Noise of deviation c/n on a mean of n rewards, c = sqrt(2 log(1.25/delta))/eps, is a theorem for
// eps < 1 (Dwork, Roth, Theorem A.1), but Proposition D.2 states it for any eps > 0. A cell moves
// one mean by at most 1/n, so the true delta at eps is that of a Gaussian shift:
//   release      delta_mu(eps), mu = 1/c                                                        (1)
//   transcript   at least delta_mu(eps), mu = 1/(c sqrt 2): which of two arms has the larger mean
//                is the sign of a difference with twice the variance                            (2)
// delta_mu is (1) of mechanisms/accounting/gdp.hpp. (2) needs a pair with means at the right
// distance, 4 log(1.25/delta)/eps - 1/2 rewards. If this is not negative, two arms with enough
// pulls have it; otherwise the changed reward is one of the other arm. A transcript of more arms or phases
// may lose more, but never more than (1).
// Threads: pure functions. Cost: 1 us; 50 us for the least eps.
#pragma once

#include <optional>

#include "assay/auditors/best_arm/claims/counterexamples.hpp"

namespace assay::best_arm_checks {

// c, the deviation of a sum of rewards.
double classical_deviation(double epsilon, double delta);
// The true delta by (1) or (2).
double true_delta(BestArmView view, double epsilon, double delta);
// The least eps from which on the true delta exceeds delta, for delta in [1e-12, 0.3]; empty if it stays
// below delta up to eps = 1000.
std::optional<double> boundary(BestArmView view, double delta);

}  // namespace assay::best_arm_checks
