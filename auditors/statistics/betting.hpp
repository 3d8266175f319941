// Tests and confidence bounds for the mean of a bounded random variable Z, by betting. They hold in finite
// samples and at any stopping time.
//
// A gambler with wealth W_0 = 1 bets a fraction lambda_t >= 0, fixed before Z_t is seen, that Z_t exceeds m:
//     W_t = W_{t-1} (1 + lambda_t (Z_t - m)),  0 <= lambda_t <= 1/m.                         (1)
// If the mean of Z is at most m, W is a nonnegative supermartingale, so P(sup_t W_t >= 1/alpha) <= alpha
// (Ville). This needs Z >= 0 and no upper limit. "mean > m" is certified as soon as W reaches 1/alpha, at
// any stopping time. For Z in [0, B] the mirror image certifies "mean < m":
//     W_t = W_{t-1} (1 + lambda_t (m - Z_t)),  0 <= lambda_t <= 1/(B - m).                   (2)
//
// The bets replicate a digital option that pays 1.05/alpha at the plan's horizon (bet_fraction.hpp). The
// interval is about as wide as the normal (CLT) interval for moderate counts and as Clopper-Pearson for
// rare ones, but it is proved at every sample size. When the truth is clear, the extra 5% make the option
// worth 1/alpha before the horizon, so the test can end early. A bet is fixed before the block of observations
// to which it applies. The plan and its horizon affect the width, never the validity.
//
// The computed wealth differs from the proof only by rounding to double. The thresholds allow 1e-9 for it.
// Reference: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting"
// (JRSS B 2024); the bets are a variant of Voracek and Orabona, "STaR-Bets" (NeurIPS 2025).
// Threads: values; use one test per thread. Results are bit-identical on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "assay/auditors/statistics/bet_fraction.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

using Mean = Quantity<struct MeanTag>;

struct BettingPlan {
  double alpha = 1e-3;         // error probability of this one bound, in (0, 1)
  std::int64_t horizon = 0;    // planned number of observations n; the test may stop earlier
  double design_mean = 0.0;    // a guess of the mean, for example from a pilot; 0 for none
  double design_variance = 0;  // a guess of the variance; used only with a guess of the mean
  // Once it is interrupted, a bound uses only the observations before; it is valid, and weaker. May be null.
  const RunControl* control = nullptr;
};

namespace detail {

// One observation z multiplies the wealth by 1 +- lambda (z - m), written as base (1 + slope z).
struct Bet {
  double base = 1.0;
  double slope = 0.0;
  double factor(double z) const { return base * (1.0 + slope * z); }
};

// The wealth (1) or (2) for one m. It is split among three gamblers with horizons n, n/6 and n/36.
class MeanTest {
 public:
  MeanTest(BetSide side, double m, double range, const BettingPlan& plan);

  void observe(std::span<const double> values);
  void observe_zeros(std::int64_t count);  // the same as `count` values 0, faster
  // Observes `zeros` times 0 and `hits` times `size`, in unknown order. Preconditions: zeros + hits <=
  // block_left(), and kFewHits hits have come before.
  void observe_block(std::int64_t zeros, std::int64_t hits, double size);

  bool certified() const { return certified_; }  // whether the wealth has reached 1/alpha
  double max_log_wealth() const;                 // the largest so far; betting ends once certified
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

// Tests whether the mean exceeds m. Values arrive in order. Only their order matters, not how they are
// divided among calls. The test checks its wealth after every observation. Cost: 5 ns per value, less for
// zeros in a row.
class MeanExceedsTest : public detail::MeanTest {
 public:
  // Preconditions: m in [0, inf), values >= 0.
  MeanExceedsTest(double m, const BettingPlan& plan)
      : MeanTest(detail::BetSide::kAbove, m, 0.0, plan) {}
};

// Tests whether the mean lies below m. The plan's guesses are those of Z itself, not of range - Z.
class MeanBelowTest : public detail::MeanTest {
 public:
  // Preconditions: m in (0, range], values in [0, range].
  MeanBelowTest(double m, double range, const BettingPlan& plan)
      : MeanTest(detail::BetSide::kBelow, m, range, plan) {}
};

// A lower bound on the mean of Z in [0, inf): the largest m such that "mean > m'" is certified for every
// m' <= m, or 0 if there is none. It holds with probability at least 1 - alpha.
//
// The bets for a mean m are those for the next grid point at or above m. The grid depends on the plan
// alone. The bound is wrong only if the wealth for the true mean reaches 1/alpha, and that wealth is one
// supermartingale for any grid. Between grid points the shared bets make the wealth decrease in m, so the
// bound is refined inside the last grid cell. Cost: 13 ms for 500,000 values that are all nonzero.
LowerBound<Mean> mean_lower_bound(std::span<const double> values, const BettingPlan& plan);

// An upper bound on the mean of Z in [0, range]: the smallest m such that "mean < m'" is certified for
// every m' >= m, or `range` if there is none. It holds with probability at least 1 - alpha. For n >= 1000
// zeros it is within 5% of 1 - alpha^(1/n). No plan certifies an upper bound below about ln(1/alpha)/n.
UpperBound<Mean> mean_upper_bound(std::span<const double> values, double range,
                                  const BettingPlan& plan);

// Both bounds, each at alpha/2, so the interval holds with probability at least 1 - alpha. Z in [0, range].
Interval<Mean> mean_interval(std::span<const double> values, double range, const BettingPlan& plan);

// The same for Z in [low, high], which is scaled to [0, 1]. Values that rounding moved out of the range count as its
// ends. If high is not above low, both bounds are low.
Interval<Mean> mean_interval_between(std::span<const double> values, double low, double high,
                                     const BettingPlan& plan);

// The smallest mean m1 for which n = plan.horizon observations of Z certify "mean > claim" with
// probability at least `power`; 1 if no mean is enough. Z is Bernoulli(m1), which has the largest variance
// of all variables in [0, 1] with that mean. An estimate by bisection on simulated tests (with streams of
// `seed`): a mean counts only if the 99% Clopper-Pearson lower limit of its simulated power reaches `power`.
double smallest_visible_mean(double claim, const BettingPlan& plan, double power,
                             std::uint64_t seed);

}  // namespace assay
