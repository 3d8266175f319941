// Privacy filters and odometers: accounting for releases with levels that are chosen during the
// run, each with knowledge of the outputs before it.
//
// Filter: a budget is fixed first. spend(level) admits a release only if afterwards
//   pure  sum eps_t <= eps       zCDP  sum rho_t <= rho       GDP  sum mu_t^2 <= mu^2          (1)
// Then everything released is as private as the budget, even though each level was a function of
// the outputs before it. A rejected release spends nothing, and a smaller one may still be admitted.
//
// Odometer: it has no budget and reports at any time the loss so far.
//   pure: sum eps_t, always.                                                                   (2)
//   zCDP and GDP (rho_t = mu_t^2/2), at a delta fixed first: with probability at least 1 - delta,
//   at all times t at once, S_t = rho_1 + .. + rho_t, the loss so far is at most
//     S_t + sqrt((2 S_t + r)(2 log(1/delta) + log(1 + 2 S_t/r)))                               (3)
// for either order of the neighbours. r > 0 is free but fixed first: (3) is tightest near the S_t
// for which it was chosen. A running sum that is converted to (eps, delta) at each time is no such
// bound, so no odometer reports mu or rho.
// Sums are rounded up and budgets down, so (1) holds for the exact numbers. Proofs and
// references: docs/proofs/filters.md.
//
// Threads: values; one per run. Cost: 50 ns a release.
#pragma once

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

namespace detail {

// At least total + cost, x^2; at most x^2. Exact where a double is.
double sum_rounded_up(double total, double cost);
double square_rounded_down(double x);
double square_rounded_up(double x);

// The arithmetic of (1): a sum of costs, rounded up, under a limit, rounded down.
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

  // Admits the release and charges it, or names the bound that it would exceed and charges nothing.
  // Call it before the release. Errors: a level out of range; a budget that would be exceeded.
  Status spend(const Level& level);
  bool admits(const Level& level) const;  // false also for a level out of range

  const Level& budget() const { return budget_; }  // the guarantee of everything admitted
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

// (2).
class PureOdometer {
 public:
  Status record(const PureDp& level);  // errors: a level out of range, an overflow
  UpperBound<Epsilon> loss() const { return {Epsilon{total_}}; }

 private:
  double total_ = 0.0;
};

// (3).
class ConcentratedOdometer {
 public:
  // `expected`: the sum of rho at which the bound is to be tightest, above 0. It must be fixed before
  // the run. It changes the tightness of the bound, never its validity.
  static Result<ConcentratedOdometer> create(Delta delta, Rho expected);

  Status record(const ZeroConcentratedDp& level);  // errors: a level out of range, an overflow
  Status record(const GaussianDp& level);
  // Holds at all times at once with probability 1 - delta.
  UpperBound<Epsilon> loss() const;
  Rho sum() const { return Rho{total_}; }

 private:
  ConcentratedOdometer(Delta delta, double scale) : delta_(delta), scale_(scale) {}

  Delta delta_;
  double scale_;  // r
  double total_ = 0.0;
};

}  // namespace assay
