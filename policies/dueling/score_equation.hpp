// The noisy score equation of logistic duels, solved in the unit ball.
//
// Symbols: differences z_1..z_m in R^r with N_c duels each and noisy wins o_c, any numbers.
//   F(w) = sum_c N_c log(1 + e^<z_c, w>) - o_c <z_c, w>, convex                                 (1)
//   F'(w) = 0, or sum_c o_c z_c = sum_c N_c sigma(<z_c, w>) z_c, is the score equation          (2)
// Noise can move wins below 0 or above N_c, and (2) may then have no root, or one far away. The result
// is the minimiser of F in the unit ball: the root if it is there, else the point of the sphere with
//   F'(w) + lambda w = 0, lambda > 0, |w| = 1                                                   (3)
// Newton's steps find lambda: the norm of the minimiser of F + lambda |w|^2/2 falls as lambda grows.
//
// Accuracy: `residual`, computed afresh, is the norm of (2), or of (3), over sum_c N_c |z_c|.
// Reference: Boyd, Vandenberghe, "Convex Optimization" (2004), section 9.5, for the damped Newton
// steps. Threads: pure functions. The same bits on every machine. Cost: 10 Newton steps of m r^2 +
// r^3/6, about 6 times as many on the sphere.
#pragma once

#include <span>
#include <vector>

#include "assay/policies/linear/features.hpp"

namespace assay {

struct ScoreSolution {
  std::vector<double> w;
  bool on_sphere = false;  // the constraint is active: w solves (3) in place of (2)
  double lambda = 0.0;
  double residual = 0.0;
};

// Preconditions: the differences with duels span their space; one number of duels and of wins per difference.
ScoreSolution solve_scores(const ArmFeatures& differences, std::span<const double> duels,
                           std::span<const double> wins);

}  // namespace assay
