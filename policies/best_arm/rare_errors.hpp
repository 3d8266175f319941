// Estimates the probability, however small, that a best-arm policy of one phase does not recommend the best
// arm of UniformArms.
//
// Symbols: scores are linear in rewards and noise: Z_i = score of rival i - score of the best arm b
// = sum over pulls of q x + sum over values of c z. For s_i >= 0,
//   L_i = log E e^(s_i Z_i), s_i the minimiser: Chernoff's bound on P(Z_i >= 0)                 (1)
//   Q_i has dQ_i/dP = e^(s_i Z_i - L_i): rewards and noise stay independent, each tilted        (2)
//   Q = sum_i e^(L_i) Q_i / B, B = sum_i e^(L_i): if b is not recommended, some Z_i >= 0, so
//   dP/dQ = B / sum_i e^(s_i Z_i) <= B                                                          (3)
// This is (1) of simulation/rare_events.hpp. With one rival, B exceeds the probability by at most a power of
// its logarithm. If several rivals can win at once, B is larger by at most a factor of their number.
//
// DP-BAI and Baseline have one phase if d <= 2 or K = 2, and DP-OD and OD-LinBAI if d <= 2. This covers both
// figures of the paper. A policy of several phases is an error, because B would depend on which arms
// survive, and so is a faulty policy.
// Threads: as in rare_events.hpp. Cost: 30 ns a pull.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/best_arm/instances.hpp"
#include "assay/policies/best_arm/phases.hpp"
#include "assay/policies/simulation/rare_events.hpp"

namespace assay {

struct RareErrorPlan {
  std::int64_t trials = 20'000;
  double alpha = 1e-3;
  std::uint64_t seed = 1;
};

namespace detail {

// Draws v from [0, 1] with a density in proportion to e^(a v), by inversion of u.
class TiltedUniform {
 public:
  explicit TiltedUniform(double a);
  double operator()(double u) const;

 private:
  double slope_;  // |a|
  bool falls_;    // a < 0
  double end_;    // e^-|a|, less 1 for |a| < 1
};

}  // namespace detail

// Errors: more than one phase, a fault (phases.hpp), a best arm that does not exist, fewer than 2
// trials, alpha outside (0, 1), kInterrupted.
Result<RareEventEstimate> estimate_rare_errors(const PhasePlanner& planner, const UniformArms& arms,
                                               int best, const RareErrorPlan& plan,
                                               const RunControl& control = {});

}  // namespace assay
