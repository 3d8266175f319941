// Confidence bounds for the mean of a bounded random variable, by betting.
//
// A gambler with wealth W_0 = 1 bets a predictable fraction lambda_t >= 0 on Z_t exceeding m:
//     W_t = W_{t-1} (1 + lambda_t (Z_t - m)),  0 <= lambda_t <= 1/m.                              (1)
// If the mean of Z (Z >= 0, any upper range) is at most m, W is a nonnegative supermartingale, so
// P(sup_t W_t >= 1/alpha) <= alpha (Ville). "mean > m" is certified as soon as W reaches 1/alpha, at
// any stopping time. The bets are the digital-option hedge for a fixed horizon n,
//     lambda_t = phi(Phi^{-1}(u)) / (u s sqrt(n - t)),  u = alpha W,                              (2)
// clipped to [0, kappa/m]; s^2 is the running second moment of Z - m.
//
// Reference: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (JRSS
// B 2024); the hedge is a variant of Voracek and Orabona, "STaR-Bets" (NeurIPS 2025).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

using Mean = Quantity<struct MeanTag>;

struct BettingPlan {
  double alpha = 1e-3;         // error probability of this one bound
  std::int64_t horizon = 0;    // planned number of observations n; bets may stop earlier
  double design_mean = 0.0;    // guess of the mean from a pilot; affects width, never validity
  double design_variance = 0;  // guess of the variance; the same
};

// Is the mean certified to exceed m? Wealth of (1) kept in log space; fed in order, in any batching.
class MeanExceedsTest {
 public:
  MeanExceedsTest(double m, const BettingPlan& plan);  // m in [0, inf)
  void observe(std::span<const double> values);        // values >= 0
  bool certified() const;       // W reached 1/alpha at some time
  double log_wealth() const;    // now
  double max_log_wealth() const;
};

// Largest m of an increasing grid such that "mean > m'" is certified for every grid m' <= m; 0 if
// none. Z in [0, inf). Holds with probability >= 1 - alpha.
LowerBound<Mean> mean_lower_bound(std::span<const double> values, const BettingPlan& plan);

// The same for an upper bound, Z in [0, range]: the lower bound applied to range - Z.
UpperBound<Mean> mean_upper_bound(std::span<const double> values, double range,
                                  const BettingPlan& plan);

}  // namespace assay
