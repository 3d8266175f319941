// Bounds the privacy profile at every epsilon, and mu, from bounds at some epsilons.
//
// With c = e^eps the profile delta(c) = sup_A P(A) - c Q(A) is convex and nonincreasing. So for
// upper bounds u_i of delta at c_0 < c_1 < ... (the vacuous bound 1 at c = 1 among them)
//     delta(c) <= u_i + (u_j - u_i) (c - c_i)/(c_j - c_i)  for c_i <= c <= c_j,              (1)
//     delta(c) <= u_k                                      for c >= c_k;                     (2)
// The least of these is the lower convex hull of the points, constant after the last. A mu_aug-GDP
// bound from another source (the augmented release) is a second curve, delta <= delta_mu_aug, and the
// smaller of the two is the bound.
//
// The mu over delta >= delta_0 is the smallest mu with delta(eps) <= delta_mu(eps) at every
// eps >= 0 where delta(eps) > delta_0. The test whether a chord l of (1) stays below delta_mu is
// exact: l - delta_mu is concave in c, with its maximum where the slopes agree,
//     l' = d/dc delta_mu = -Phi(-mu/2 - eps/mu)  =>  eps* = -mu (Phi^{-1}(-l') + mu/2),      (3)
// moved into the chord's interval. At mu < mu_aug the curve of mu_aug needs no check of its own:
// it only ends the range of eps, at delta_mu_aug(eps) = delta_0.
//
// Reference: Dong, Roth, Su, "Gaussian differential privacy" (JRSS B 2022), Corollary 2.13; Zhu,
// Dong, Wang (AISTATS 2022) for the profile as a convex function of e^eps.
// Threads: values. Cost: 60 profile evaluations per hull edge for a mu.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

class UpperProfile {
 public:
  // Increasing epsilons >= 0 and an upper bound of delta at each; bounds above 1 count as 1.
  UpperProfile(std::span<const double> epsilons, std::span<const double> deltas,
               UpperBound<Mu> cap = {{std::numeric_limits<double>::infinity()}});

  UpperBound<Delta> at(Epsilon epsilon) const;  // (1), (2) and the cap

  // An upper bound on the mu over delta >= delta_0; it is the cap if the points give none that is better.
  UpperBound<Mu> mu_above(Delta delta0) const;

 private:
  struct Point {
    double epsilon;
    double delta;
  };

  bool stays_below(double mu, double last_epsilon) const;

  std::vector<Point> hull_;  // lower convex hull in (e^eps, delta), from eps = 0, delta decreasing
  double cap_;
};

// The same in one call.
UpperBound<Mu> mu_upper_from_profile(std::span<const double> epsilons,
                                     std::span<const double> deltas, Delta delta0,
                                     UpperBound<Mu> cap);

}  // namespace assay
