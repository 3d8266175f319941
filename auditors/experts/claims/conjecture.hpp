// The conjecture of Remark 4, with resampled losses: there are universal c1, c2 such that for every j with
// Delta_j > eps, n = 2^(r-1),
//   P[J_r = j] <= c1 e^(-4 n Delta_j eps/c2)
//                 / (1 + sum over i with Delta_i > eps of e^(-4 n Delta_i eps/c2)).            (1)
// No such c1, c2 exist, for any of the three noises: for each c2 the left side outgrows the right
// on one of two families of instances. A value that splits the c2 between the two families is a
// certificate, and any 0 < eps < D < 1 has one. Proof, with (2) and (3): docs/proofs/conjecture.md.
#pragma once

#include <span>

#include "assay/auditors/claims/search/parameter_space.hpp"
#include "assay/auditors/experts/claims/counterexamples.hpp"

namespace assay::expert_checks {

// The rates of (2) and (3) at c2 = split; both are positive if the certificate is good.
GrowthCounterexample growth_at(LeaderNoise noise, double epsilon, double gap, double split);

// One instance of (1): a best action, the action j, and two groups of others.
struct ConjectureInstance {
  LeaderNoise noise = LeaderNoise::kGumbel;
  double epsilon = 0.5;
  int epoch = 1;           // r
  double best_mean = 0.0;  // mu_1
  double gap = 0.6;        // Delta_j
  GapGroup first;          // groups of other actions; times = 0 for none
  GapGroup second;
  friend bool operator==(const ConjectureInstance&, const ConjectureInstance&) = default;
};

// A point is noise, eps, r, mu_1, Delta_j, and for each group its gap and the number of its actions
// plus 1.
std::vector<Parameter> conjecture_space(int most_epochs, double most_actions);
ConjectureInstance instance_of(const Point& point);

// False if (1) does not apply: Delta_j <= eps, or a mean above 1.
bool admissible(const ConjectureInstance& instance);

// log of the c1 that (1) needs at c2 on this instance; NaN if (1) does not apply.
double log_needed_constant(const ConjectureInstance& instance, double c2);

}  // namespace assay::expert_checks
