// The law of the largest of many noisy scores, where scores come in groups and may be random.
//
// Group g has c_g members, K in all; each member's score is a random X_g, equal to values[k] with
// probability weights[k], plus noise Q of its own; all are independent. With f, F and b
// the density, cdf and scale of Q,
//   h_g(x) = sum over k of w_k f(x - v_k),   H_g(x) = sum over k of w_k F(x - v_k)              (1)
//   P(one given member of g is the largest) = integral of h_g(x) H_g(x)^-1 prod_h H_h(x)^c_h dx (2)
// A mixture over random scores costs no enumeration of their combinations: they are independent, so
// it is taken inside the integral, member by member.
//   Gumbel, fixed scores: e^(v_g/b)/sum over h of c_h e^(v_h/b)                                 (3)
//   exponential, Laplace: between two neighbouring scores of any group H_g = A + B e^-u + C e^u, u
//   the distance in scales, with A, B, C from recurrences of positive terms: a node costs the same
//   however many scores a group has. Gauss rules of 16 nodes on the pieces                      (4)
//   Gumbel, random scores: the trapezoid rule of step at most b/4; whole scores share a table   (5)
// Only scores over scales matter: scores on another lattice are made whole by dividing them and the
// scale by its step.
//
// Accuracy: 1e-12 of each probability above e^-1000, of each above e^-650 where scores are random
// (weights end with the doubles). Logarithms, never a probability that could underflow. Proved but
// for the rounding, which is measured (tests/unit/numerics/grouped_noisy_max_test.cpp); in scales:
//   (4) Let c be the middle of a panel of length 2a and z within R of it in the complex plane. In a
//   piece |h(z)| <= e^R h(c), |H(z)| <= H(c) + (e^R - 1) h(c), and for any t > 0 both h(c + t) >=
//   e^-t h(c) and H(c + t) >= H(c) + (1 - e^-t) h(c). With m = max(1, (e^R - 1)/(1 - e^-t)) the
//   integrand at z is at most m^(K - 1) e^(R + t + 1) times its value anywhere in [c + t,
//   c + t + 1]. On the ellipse rho R = a (rho + 1/rho)/2, and the rule's error is below
//   a (64/15) rho^-32/(1 - rho^-2) of the maximum. Summed over panels this is a fraction of P: (6)
//     K <= 12: a = 1/2, rho = 10, t = 1: 3e-16. Any K: a = 3/8, rho = 3.2, t = 2.7, m = 1: 3e-14.
//   From log K + 1 above every score on, a = 1: there Y = sum of c_g (1 - H_g) <= e^-2 at c, |prod|
//   <= e^((e^R - 2) Y); rho = 4 gives 2e-17.
//   (5) At x + i theta b |F| = F(x - b log cos theta) and |f| is f there over cos theta, so the
//   integral of the absolute integrand along that line is at most P/cos theta, whatever K and the
//   weights are: the error is below 2/(cos theta (e^(2 pi 4 theta) - 1)) of P, 1e-15 at theta =
//   pi/2 - 1/25                                                                                (7)
//   Beyond every score by 45 + log K lies at most 2 e^-45 of P >= E e^((X_g - max)/b)/(2 K); below
//   x lies at most prod H(x)^c, and the sum goes on until that is 1e-18 of P. Laplace noise has a
//   closed form below every score.
// Reference: error of Gauss rules: Trefethen, Approximation Theory and Practice (2013), theorem
// 19.3; of the trapezoid rule: Trefethen, Weideman, SIAM Review 56 (2014), theorem 5.1.
// Threads: pure. Same bits on every machine.
// Cost: (4) O(groups) a node, 16 nodes a scale and distinct score: 0.05 ms for two groups of fixed
// scores. (5) O(scores of all groups) a node, 4 nodes a scale. (3) is O(groups).
#pragma once

#include <span>
#include <vector>

#include "assay/mechanisms/numerics/count_law.hpp"

namespace assay {

template <class Standard>
class LocationScale;  // noise/location_scale.hpp
using Laplace = LocationScale<struct StandardLaplace>;
using Exponential = LocationScale<struct StandardExponential>;
using Gumbel = LocationScale<struct StandardGumbel>;

struct ScoreGroup {
  std::vector<double> values;
  std::vector<double> weights;  // as many, positive, with sum 1
  double count = 1.0;           // whole, at least 1; e^60 is no trouble

  static ScoreGroup fixed(double value, double count = 1.0) { return {{value}, {1.0}, count}; }
  // The scores -N.
  static ScoreGroup of_losses(const CountLaw& losses, double count = 1.0);
};

// The relative error of a probability as computed, and the logarithm that it is above, where all
// scores are fixed and where some are random.
inline constexpr double kNoisyMaxRelativeError = 1e-12;
inline constexpr double kLeastNoisyMaxLog = -1000.0;
inline constexpr double kLeastMixedNoisyMaxLog = -650.0;

// (2), its logarithm, for one member of each group. At least one group, at least one member each.
std::vector<double> grouped_noisy_max(const Laplace& noise, std::span<const ScoreGroup> groups);
std::vector<double> grouped_noisy_max(const Exponential& noise, std::span<const ScoreGroup> groups);
std::vector<double> grouped_noisy_max(const Gumbel& noise, std::span<const ScoreGroup> groups);

}  // namespace assay
