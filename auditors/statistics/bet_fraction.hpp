// How much to bet: what replicates a digital option on a compound Poisson sum.
//
// The gambler of betting.hpp wants wealth 1/alpha with the largest probability, so the bets
// replicate an option that pays 1/alpha on rejection. Its price under the null is modelled with
// jumps of one size J at rate m/J per observation, of which r = m tau/J are expected in the tau
// observations left:
//     "mean > m":  u = P(Poisson(r) >= k),  lambda = (u(k - 1)/u(k) - 1)/J,                  (1)
//     "mean < m":  u = P(Poisson(r) <= k),  lambda = (1 - u(k - 1)/u(k))/J,                  (2)
// where u = alpha W is the price that the present wealth pays for and k the strike at that price
// (so the strike is found again at every bet). For r -> inf both become the normal bet
//     lambda = phi(w)/(u sqrt(m J tau)),  w = Phi^{-1}(1 - u);                               (3)
// in between, the quantile k = r + w sqrt(r) + w^2/6 + O(1) of Cornish and Fisher turns (1) into
//     (w' + 3 sqrt r)^2 = (w + 3 sqrt r)^2 - 6,  lambda = (Phi(-w')/Phi(-w) - 1)/J.          (4)
// Any predictable bet is valid whatever this model is worth: prices here are computed to a few
// digits (tables and interpolation), deterministically. The model makes rare hits as sharp as the
// binomial tail (J = 1) and frequent ones as sharp as the normal limit.
//
// Reference: Voracek and Orabona, "STaR-Bets" (NeurIPS 2025), for betting towards the threshold.
// Threads: pure functions and values.
// Cost: 10 ns for r > 1e4, 40 ns for r > 30, 0.3 us below.
#pragma once

#include <cstdint>

namespace assay::detail {

// On which side of the tested value m the gambler says the mean is.
enum class BetSide { kAbove, kBelow };

// lambda of (1) to (4), not yet clipped. price = u in (0, 1), remaining = tau >= 1, jump = J > 0.
double bet_fraction(BetSide side, double price, double m, double jump, double remaining);

// The jump size J = variance/mean of what has been
// seen, with the plan's guess as pseudo-observations.
class JumpSize {
 public:
  // Guesses of mean and variance; mean 0 for none, when `fallback` is J until the first hit.
  JumpSize(double design_mean, double design_variance, double fallback);

  void add(std::int64_t count, double sum, double sum_of_squares);
  double value() const;
  double mean() const;  // of what has been seen; 0 before

 private:
  double prior_count_ = 0.0;
  double prior_mean_ = 0.0;
  double prior_square_ = 0.0;
  double fallback_ = 1.0;
  double count_ = 0.0;
  double sum_ = 0.0;
  double sum_of_squares_ = 0.0;
};

// Lengths of the blocks over which a bet stays fixed: a fixed function of time and horizon, short
// at the start (nothing is known yet) and at the end (the option is nearly due).
std::int64_t block_length(std::int64_t time, std::int64_t horizon);

// While this many hits have not been seen, a block also ends at each hit.
inline constexpr std::int64_t kFewHits = 256;

}  // namespace assay::detail
