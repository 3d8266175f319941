// Remark 4's conjecture, with resampled losses: universal c1, c2 such that for every j with Delta_j
// > eps
//   P[J_r = j] <= c1 e^(-4 n Delta_j eps/c2)/(1 + sum over i with Delta_i > eps of e^(-4 n Delta_i
//   eps/c2)),
// n = 2^(r-1).                                                                                (1)
//
// No c1, c2 do, for any of the three noises. Let b be the scale of the noise, h = 1/b, 0 < eps < D
// < 1, and kappa with kappa e^(-h t) <= P(Q > t) <= e^(-h t) for t >= 0: 1 (exponential), 1/2
// (Laplace), 1 - 1/e (Gumbel). By Jensen rho = -log(1 - D (1 - e^-h)) < h D, the rate at which E
// e^(-h Bin(n, D)) falls.
//   Two actions, means 0 and D. J = 2 if Q_1 <= b log 2 and Q_2 > G_2 + b log 2:
//     P[J = 2] >= (kappa/4) e^(-rho n), and the right side of (1) is at most c1 e^(-4 n D eps/c2).
//     Their ratio grows like e^(n (4 D eps/c2 - rho)), without bound for c2 < 4 D eps/rho.
//     (2)
//   Means 0, D, and 1 for m = floor(e^(h n)) actions. J = 2 if Q_1 <= b log 3, the others' Q <= n +
//   b log 3,
//     Q_2 > G_2 + b log 3: P[J = 2] >= (4/27) kappa e^(-rho n) >= (4/27) kappa e^(-h D n). The
//     right side of (1) is at most c1 e^(-4 n D eps/c2) e^(4 n eps/c2)/m. Their ratio grows at
//     least like e^(n (1 - D) (h - 4 eps/c2)), without bound for c2 > 4 eps/h.
//     (3)
// Since 4 eps/h < 4 D eps/rho, one of (2) and (3) applies to each c2; a split between the two is a
// certificate, and any 0 < eps < D < 1 has one. 4 eps/h is 8, for exponential noise 4. The second
// family has K = e^(h n): for bounded K it needs c1 to grow like K^((1 - 4 eps/(h c2)) (1 - D)).
#pragma once

#include <span>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/search/parameter_space.hpp"

namespace assay::expert_checks {

// The rates of (2) and (3) at c2 = split; both are positive where the certificate is good.
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

// A point is noise, eps, r, mu_1, Delta_j, and for either group its gap and one more than its
// actions.
std::vector<Parameter> conjecture_space(int most_epochs, double most_actions);
ConjectureInstance instance_of(const Point& point);

// False where (1) says nothing: Delta_j <= eps, or a mean above 1.
bool admissible(const ConjectureInstance& instance);

// log of the c1 that (1) needs at c2 on this instance; NaN where it says nothing.
double log_needed_constant(const ConjectureInstance& instance, double c2);

}  // namespace assay::expert_checks
