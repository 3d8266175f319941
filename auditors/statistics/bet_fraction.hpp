// The size of a bet, which replicates a digital option on a compound Poisson sum.
//
// The gambler of betting.hpp wants wealth 1/alpha with the largest probability, so the bets
// replicate an option that pays 1/alpha on rejection. The model of its price under the null has
// jumps of one size J at rate m/J per observation. In the remaining tau observations r = m tau/J of them
// are expected:
//     "mean > m":  u = P(Poisson(r) >= k),  lambda = (u(k - 1)/u(k) - 1)/J,                  (1)
//     "mean < m":  u = P(Poisson(r) <= k),  lambda = (1 - u(k - 1)/u(k))/J,                  (2)
// where u = alpha W is the price that the present wealth can pay, and k the strike at that price (so
// every bet computes the strike again). For r -> inf both become the normal bet
//     lambda = phi(w)/(u sqrt(m J tau)),  w = Phi^{-1}(1 - u);                               (3)
// in between, the quantile k = r + w sqrt(r) + w^2/6 + O(1) of Cornish and Fisher turns (1) into
//     (w' + 3 sqrt r)^2 = (w + 3 sqrt r)^2 - 6,  lambda = (Phi(-w')/Phi(-w) - 1)/J.          (4)
// Any predictable bet is valid, even if the model is wrong. Prices are computed to a few
// digits (tables and interpolation), deterministically. The model makes rare hits as sharp as the
// binomial tail (J = 1) and frequent ones as sharp as the normal limit.
//
// Reference: Voracek and Orabona, "STaR-Bets" (NeurIPS 2025), for betting towards the threshold.
// Threads: pure functions and values.
// Cost: 10 ns for r > 1e4, 40 ns for r > 30, 0.3 us below.
#pragma once

#include <cstdint>

namespace assay::detail {

// The direction in which the gambler bets that the mean differs from the tested value m.
enum class BetSide { kAbove, kBelow };

// lambda of (1) to (4), not yet clipped. price = u in (0, 1), remaining = tau >= 1, jump = J > 0.
double bet_fraction(BetSide side, double price, double m, double jump, double remaining);

// The jump size J = variance/mean of the observations so far. The plan's guess counts as some
// observations made before.
class JumpSize {
 public:
  // Takes the guesses of the mean and the variance. Mean 0 means no guess; J is then `fallback` until the first hit.
  JumpSize(double design_mean, double design_variance, double fallback);

  void add(std::int64_t count, double sum, double sum_of_squares);
  double value() const;
  double mean() const;  // of the observations; 0 before the first

 private:
  double prior_count_ = 0.0;
  double prior_mean_ = 0.0;
  double prior_square_ = 0.0;
  double fallback_ = 1.0;
  double count_ = 0.0;
  double sum_ = 0.0;
  double sum_of_squares_ = 0.0;
};

// The length of the block in which a bet stays fixed, a function of time and horizon alone. Blocks are
// short at the start, when little is known, and at the end, when the option is nearly due.
std::int64_t block_length(std::int64_t time, std::int64_t horizon);

// Until there are this many hits, a block also ends at each hit.
inline constexpr std::int64_t kFewHits = 256;

}  // namespace assay::detail
