// Privacy filters and odometers account for releases whose levels are chosen during the run, each with
// knowledge of all earlier outputs.
//
// A filter has a budget that is fixed first. spend(level) admits a release only if afterwards
//   pure  sum eps_t <= eps       zCDP  sum rho_t <= rho       GDP  sum mu_t^2 <= mu^2          (1)
// Then everything released together has the level of the budget, even though each level was a function
// of earlier outputs. A rejected release spends nothing, and a smaller one may still be admitted.
//
// An odometer has no budget. It reports, at any time, an upper bound on the loss so far.
//   pure: sum eps_t, always.                                                                   (2)
//   zCDP and GDP (rho_t = mu_t^2/2), at a delta fixed first: with probability at least 1 - delta,
//   at all times t at once, S_t = rho_1 + .. + rho_t, the loss so far is at most
//     S_t + sqrt((2 S_t + r)(2 log(1/delta) + log(1 + 2 S_t/r)))                               (3)
// for either order of the neighbours. Any r > 0 is valid, but it must be fixed first; (3) is tightest
// near the S_t for which r was chosen. A running sum that is converted to (eps, delta) at each time is
// not such a bound, so no odometer reports mu or rho.
// Sums are rounded up and budgets down, so (1) holds for the exact numbers. docs/proofs/filters.md has
// the proofs and references.
//
// Threads: values; use one per run. Cost: 50 ns per release.
#pragma once

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

namespace detail {

// total + cost rounded up, and x^2 rounded down. They are exact if the result is a double.
double sum_rounded_up(double total, double cost);
double square_rounded_down(double x);
double square_rounded_up(double x);

// The arithmetic of (1): a sum of costs, rounded up, that must stay within a limit, rounded down.
class SpentSum {
 public:
  explicit SpentSum(double limit) : limit_(limit) {}

  // The sum after one more cost.
  double with(double cost) const { return sum_rounded_up(total_, cost); }
  bool admits(double cost) const { return with(cost) <= limit_; }
  void add(double cost) { total_ = with(cost); }
  double total() const { return total_; }

 private:
  double limit_;
  double total_ = 0.0;
};

}  // namespace detail

// Level is PureDp, ZeroConcentratedDp or GaussianDp.
template <class Level>
class PrivacyFilter {
 public:
  // Errors: a budget that is negative or not finite.
  static Result<PrivacyFilter> create(const Level& budget);

  // Call this before the release. On success the release is admitted and charged. Errors, in which case nothing is
  // charged: a level out of range; a budget that the release would exceed.
  Status spend(const Level& level);
  bool admits(const Level& level) const;  // whether spend() would succeed

  const Level& budget() const { return budget_; }  // the level of all admitted releases together
  Level spent() const;                             // the level of the sum so far, rounded up

 private:
  PrivacyFilter(const Level& budget, double limit) : budget_(budget), sum_(limit) {}
  bool is_first_within_budget(const Level& level) const;

  Level budget_;
  detail::SpentSum sum_;
};

using PureFilter = PrivacyFilter<PureDp>;
using ConcentratedFilter = PrivacyFilter<ZeroConcentratedDp>;
using GaussianFilter = PrivacyFilter<GaussianDp>;

// The largest budget of a filter whose admitted releases together are (epsilon, delta)-DP, rounded down: by the
// conversions of zcdp.hpp and gdp.hpp. Errors: epsilon or delta not in their ranges, delta 0.
Result<ZeroConcentratedDp> zcdp_budget(const ApproximateDp& target);
Result<GaussianDp> gaussian_budget(const ApproximateDp& target);

// The odometer for pure levels, by (2).
class PureOdometer {
 public:
  Status record(const PureDp& level);  // errors: a level out of range, an overflow
  UpperBound<Epsilon> loss() const { return {Epsilon{total_}}; }

 private:
  double total_ = 0.0;
};

// The odometer for zCDP and GDP levels, by (3).
class ConcentratedOdometer {
 public:
  // `expected`: the sum of rho, above 0, at which the bound shall be tightest. It must be fixed before
  // the run. It changes how tight the bound is, never whether it holds.
  static Result<ConcentratedOdometer> create(Delta delta, Rho expected);

  Status record(const ZeroConcentratedDp& level);  // errors: a level out of range, an overflow
  Status record(const GaussianDp& level);
  // With probability at least 1 - delta the bounds hold at all times simultaneously.
  UpperBound<Epsilon> loss() const;
  Rho sum() const { return Rho{total_}; }

 private:
  ConcentratedOdometer(Delta delta, double scale) : delta_(delta), scale_(scale) {}

  Delta delta_;
  double scale_;  // r
  double total_ = 0.0;
};

}  // namespace assay
