// Estimates probabilities that are too small to count, by importance sampling with a valid interval.
//
// Symbols: an event A, its distribution P, n trials under a distribution Q with dP/dQ <= B on A.
//   f = 1_A (dP/dQ) / B lies in [0, 1] and P(A) = B E_Q[f]                                      (1)
//   |mean - E f| <= sqrt(2 v L/n) + 7 L/(3 (n - 1)), v the sample variance, L = log(4/alpha),
//   with probability 1 - alpha, for every n >= 2                                                (2)
// So the relative error depends on P(A)/B, not on P(A). A tilt whose bound B is close to the
// probability, as Chernoff's is, finds 1e-12 or 1e-200 as well as 0.1. A loose bound makes the interval
// wide but never wrong.
//
// Reference: Maurer, Pontil, "Empirical Bernstein Bounds and Sample Variance Penalization" (COLT
// 2009), Theorem 4, once for each side. Direction: the ends do not include rounding, which is about 1e-13.
// Threads: uses those of the control; the result does not depend on their number. Cost: that of the trials.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/simulation/moments.hpp"

namespace assay {

struct RareEventPlan {
  std::int64_t trials = 100'000;  // at least 2
  double alpha = 1e-3;
  double log_bound = 0.0;  // log B
};

// Logarithms, so that nothing underflows; -inf stands for 0.
struct RareEventEstimate {
  std::int64_t trials = 0;
  double log_value = 0.0;
  double log_lower = 0.0;
  double log_upper = 0.0;

  double value() const { return portable_exp(log_value); }
  double lower() const { return portable_exp(log_lower); }
  double upper() const { return portable_exp(log_upper); }
};

// The estimate with its interval (2), from the mean and variance of the fractions.
inline RareEventEstimate rare_event_estimate(const RareEventPlan& plan, const Moments& fractions) {
  const double n = static_cast<double>(fractions.count);
  const double mean = fractions.mean[0];
  const double log_term = portable_log(4.0 / plan.alpha);
  const double half_width = std::sqrt(2.0 * fractions.squares[0] / (n - 1.0) * log_term / n) +
                            7.0 * log_term / (3.0 * (n - 1.0));
  const auto scaled = [&](double fraction) {
    return plan.log_bound + portable_log(std::clamp(fraction, 0.0, 1.0));
  };
  return {fractions.count, scaled(mean), scaled(mean - half_width), scaled(mean + half_width)};
}

// fraction(trial), with trials from 0, returns f of (1) from a stream of the trial's own. Errors: kInterrupted.
template <class Fraction>
Result<RareEventEstimate> estimate_rare_event(const RareEventPlan& plan, const RunControl& control,
                                              const Fraction& fraction) {
  constexpr std::int64_t kChunk = 256;
  const auto count = static_cast<std::size_t>((plan.trials + kChunk - 1) / kChunk);
  const auto chunks = map_chunks(control, count, [&](std::size_t chunk) {
    Moments part;
    if (control.stopped()) return part;
    const auto first = static_cast<std::int64_t>(chunk) * kChunk;
    for (auto trial = first; trial < std::min(first + kChunk, plan.trials); ++trial) {
      part.add(std::array{fraction(trial)});
    }
    return part;
  });
  if (control.stopped()) return fail(ErrorCode::kInterrupted, "interrupted");
  Moments all;
  for (const auto& chunk : chunks) all.merge(chunk);
  return rare_event_estimate(plan, all);
}

}  // namespace assay
