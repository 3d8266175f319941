// The distribution of the largest of many noisy scores that come in groups and may be random.
//
// Group g has c_g members, K in all. Each member's score is a random X_g, equal to values[k] with
// probability weights[k], plus noise Q of its own; all are independent. With f, F and b
// the density, cdf and scale of Q,
//   h_g(x) = sum over k of w_k f(x - v_k),   H_g(x) = sum over k of w_k F(x - v_k)              (1)
//   P(one given member of g is the largest) = integral of h_g(x) H_g(x)^-1 prod_h H_h(x)^c_h dx (2)
// A mixture over random scores needs no enumeration of their combinations: they are independent, so
// the mixture is taken inside the integral, member by member.
//   Gumbel, fixed scores: e^(v_g/b)/sum over h of c_h e^(v_h/b)                                 (3)
//   exponential, Laplace: between two neighbouring scores of any group H_g = A + B e^-u + C e^u, u
//   the distance in scales, with A, B, C from recurrences of positive terms: a node costs the same
//   however many scores a group has. Gauss rules of 16 nodes on the pieces                      (4)
//   Gumbel, random scores: the trapezoid rule of step at most b/4; whole scores share a table   (5)
// Only scores over scales matter. To make scores on another lattice whole, divide them and the scale
// by its step.
//
// Accuracy: 1e-12 of each probability above e^-1000, of each above e^-650 where scores are random
// (weights end with the doubles). Results are logarithms, so no probability underflows. Proved in
// docs/proofs/grouped_noisy_max.md except for the rounding, which is measured
// (tests/unit/noisy_max/grouped_noisy_max_test.cpp). Threads: pure. Same bits on every machine.
// Cost: (4) O(groups) a node, 16 nodes a scale and distinct score: 0.05 ms for two groups of fixed
// scores. (5) O(scores of all groups) a node, 4 nodes a scale. (3) is O(groups).
#pragma once

#include <span>
#include <vector>

#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/numerics/count_distribution.hpp"

namespace assay {

struct ScoreGroup {
  std::vector<double> values;
  std::vector<double> weights;  // one for each value, positive, with sum 1
  double count = 1.0;           // a whole number, at least 1; it may be as large as e^60

  static ScoreGroup fixed(double value, double count = 1.0) { return {{value}, {1.0}, count}; }
  // The group of scores -N, for a random loss N.
  static ScoreGroup of_losses(const CountDistribution& losses, double count = 1.0);
};

// The relative error of a probability as computed, and the logarithm that it is above, where all
// scores are fixed and where some are random.
inline constexpr double kNoisyMaxRelativeError = 1e-12;
inline constexpr double kLeastNoisyMaxLog = -1000.0;
inline constexpr double kLeastMixedNoisyMaxLog = -650.0;

// The logarithm of (2), for one member of each group. Needs at least one group, and one member each.
// A stopped call returns meaningless values.
std::vector<double> grouped_noisy_max(const Laplace& noise, std::span<const ScoreGroup> groups,
                                      const RunControl& control = {});
std::vector<double> grouped_noisy_max(const Exponential& noise, std::span<const ScoreGroup> groups,
                                      const RunControl& control = {});
std::vector<double> grouped_noisy_max(const Gumbel& noise, std::span<const ScoreGroup> groups,
                                      const RunControl& control = {});

}  // namespace assay
