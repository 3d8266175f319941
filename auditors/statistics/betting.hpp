// Confidence bounds for the mean of a bounded random variable, by betting.
//
// A gambler with wealth W_0 = 1 bets a predictable fraction lambda_t >= 0 on Z_t exceeding m:
//     W_t = W_{t-1} (1 + lambda_t (Z_t - m)),  0 <= lambda_t <= 1/m.                         (1)
// If the mean of Z (Z >= 0, any upper range) is at most m, W is a nonnegative supermartingale,
// so P(sup_t W_t >= 1/alpha) <= alpha (Ville). "mean > m" is certified as soon as W reaches
// 1/alpha, at any stopping time. For Z in [0, B] the mirror image certifies "mean < m":
//     W_t = W_{t-1} (1 + lambda_t (m - Z_t)),  0 <= lambda_t <= 1/(B - m).                   (2)
//
// The bets replicate a digital option that pays 1.05/alpha at the plan's horizon (bet_fraction.hpp).
// The width is about that of the normal (CLT) interval for moderate counts and of Clopper-Pearson for
// rare ones, with a proof at every sample size. The extra 5% make the option worth 1/alpha, and the
// bound certain, before the horizon when the truth is clear. A bet is fixed before the
// block of observations to which it applies. Plan and horizon affect width, never validity.
//
// The wealth differs from the proof only by rounding to double; thresholds include 1e-9 for it.
//
// Reference: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting"
// (JRSS B 2024); the bets are a variant of Voracek and Orabona, "STaR-Bets" (NeurIPS 2025).
// Threads: values; use one test per thread. Results are bit-identical on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "assay/auditors/statistics/bet_fraction.hpp"
#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

using Mean = Quantity<struct MeanTag>;

struct BettingPlan {
  double alpha = 1e-3;         // error probability of this one bound, in (0, 1)
  std::int64_t horizon = 0;    // planned number of observations n; bets may stop earlier
  double design_mean = 0.0;    // guess of the mean from a pilot, 0 for none
  double design_variance = 0;  // guess of the variance; used if the mean is given
};

namespace detail {

// The factor by which one observation z multiplies the wealth: 1 +- lambda (z - m) as base (1 + slope z).
struct Bet {
  double base = 1.0;
  double slope = 0.0;
  double factor(double z) const { return base * (1.0 + slope * z); }
};

// Wealth of (1) or (2) for one m, split over gamblers with horizons n, n/6 and n/36.
class MeanTest {
 public:
  MeanTest(BetSide side, double m, double range, const BettingPlan& plan);

  void observe(std::span<const double> values);
  void observe_zeros(std::int64_t count);  // the same as `count` values 0, faster
  // `zeros` values 0 and `hits` values `size` in unknown order. They must fit into
  // the block: zeros + hits <= block_left(), and all hits must come after the first kFewHits.
  void observe_block(std::int64_t zeros, std::int64_t hits, double size);

  bool certified() const { return certified_; }  // the wealth reached 1/alpha at some time
  double max_log_wealth() const;                 // so far; betting ends once certified
  std::int64_t observations() const { return time_; }
  std::int64_t hits() const { return hits_; }
  std::int64_t block_left() const { return block_left_; }

 private:
  static constexpr int kGamblers = 3;
  struct Gambler {
    double wealth = 0.0;
    std::int64_t horizon = 1;
    Bet bet;
  };

  Bet next_bet(const Gambler& g, double jump) const;
  void observe_hit(double value);
  void note_wealth();
  void end_block();

  BetSide side_;
  double m_;
  double cap_;
  double alpha_;
  double max_wealth_ = 1.0;
  std::array<Gambler, kGamblers> gamblers_;
  JumpSize jump_;
  std::int64_t time_ = 0;
  std::int64_t hits_ = 0;
  std::int64_t block_left_ = 0;
  std::int64_t pending_count_ = 0;
  double pending_sum_ = 0.0;
  double pending_square_ = 0.0;
  bool certified_ = false;
};

}  // namespace detail

// Tests whether the mean exceeds m. Values arrive in order; how they are batched makes no difference.
// The test checks its wealth after every observation. Cost: 5 ns a value, less for runs of zeros.
class MeanExceedsTest : public detail::MeanTest {
 public:
  // m in [0, inf), values >= 0.
  MeanExceedsTest(double m, const BettingPlan& plan)
      : MeanTest(detail::BetSide::kAbove, m, 0.0, plan) {}
};

// Tests whether the mean lies below m. The plan's guesses are those of Z itself, not of range - Z.
class MeanBelowTest : public detail::MeanTest {
 public:
  // m in (0, range], values in [0, range].
  MeanBelowTest(double m, double range, const BettingPlan& plan)
      : MeanTest(detail::BetSide::kBelow, m, range, plan) {}
};

// Largest m with "mean > m'" certified for every m' <= m; 0 if none. Z in [0, inf). Holds with
// probability at least 1 - alpha.
//
// The bets for a mean m are those for the grid point at or above m; the grid is a function of the
// plan alone. An error requires that the wealth of the true mean reaches 1/alpha, which is one
// supermartingale for any grid. Between grid points the shared bets make the wealth decrease in m, so
// the bound is refined inside the last grid cell. Cost: 13 ms for 500,000 values, all of them nonzero.
LowerBound<Mean> mean_lower_bound(std::span<const double> values, const BettingPlan& plan);

// Smallest m with "mean < m'" certified for every m' >= m; `range` if none. Z in [0, range].
// n zeros, n >= 1000, give 1 - alpha^(1/n) up to 5%: no plan certifies less than ln(1/alpha)/n.
UpperBound<Mean> mean_upper_bound(std::span<const double> values, double range,
                                  const BettingPlan& plan);

// Both, each at alpha/2. Z in [0, range].
Interval<Mean> mean_interval(std::span<const double> values, double range, const BettingPlan& plan);

// The smallest mean m1 for which n = plan.horizon observations certify "mean > claim" with
// probability at least `power`, if Z is Bernoulli(m1), which has the largest variance of a [0, 1]
// variable with that mean. By bisection on simulated tests (streams of `seed`). A candidate
// counts only if the 99% Clopper-Pearson lower limit of its simulated power reaches
// `power`. 1 if no mean is enough.
double smallest_visible_mean(double claim, const BettingPlan& plan, double power,
                             std::uint64_t seed);

}  // namespace assay
