// Betting against a privacy claim on pairs of runs: valid at any stopping time, for any dependence
// inside a pair, and for witnesses, neighbouring pairs and orientations chosen anew before each.
//
// In block t a witness f in [0, 1], fixed before the block, is evaluated on one run of P and on k
// runs of Q, Y the mean of the k values. If P(f) <= e^eps Q(f) + delta,
//     z_t = f(x_t) - e^eps Y_t - delta,  W_t = W_(t-1) (1 + lambda_t z_t),                   (1)
// is a nonnegative supermartingale for every predictable 0 <= lambda_t < 1/(e^eps + delta): the
// mean of z_t given the past needs the two marginals only. P(sup W >= 1/alpha) <= alpha (Ville).
// The claim being about all events and pairs, the witness may swap the sides or change the pair.
//
// Two gamblers share the first stake of 1, the wealth being their sum:
//     hedge    lambda from hedge.hpp, the delta hedge of the option "1/alpha at the horizon"; z is
//              modelled by a shifted Poisson variable with the second and third moment seen    (2)
//     online   Newton steps: g = -z/(1 + lambda z), A += g^2, lambda -= 2/(2 - ln 3) g/A, kept
//              in [0, 1/(2 (e^eps + delta))]                                                 (3)
// The hedge is as sharp as the normal limit at the horizon and worth nothing after it; Newton's
// steps adapt to the violation and have no horizon.
//
// A lower bound on eps keeps one wealth for each point of a grid fixed beforehand: the largest
// point that reached 1/alpha together with all before it. It errs with probability at most alpha:
// an error needs the wealth of the first grid point at or above the true eps, where the claim is
// true.
//
// Futility is the same bet on the other side: where P(f) >= e^eps Q(f) + delta,
//     z_t = e^eps Y_t + delta - f(x_t) >= -1,  0 <= lambda_t <= 1/2,                          (4)
// gives a supermartingale again, with the steps (3). Once its wealth reaches 1/beta the witness shows
// no violation as large as eps at delta, an error of probability at most beta.
//
// Reference: Waudby-Smith and Ramdas (JRSS B 2024); Cutkosky and Orabona, "Black-box reductions for
// parameter-free online learning" (COLT 2018) for (3); Gonzalez et al., "Sequentially auditing
// differential privacy" (NeurIPS 2025).
// Threads: values. Same bits on every machine. Cost: 40 ns a block, more where hits are rare.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

enum class PairBets { kHedge, kOnline, kBoth };

struct PairBettingPlan {
  double alpha = 0.05;       // in (0, 1)
  std::int64_t horizon = 0;  // planned number of blocks; the hedge's only
  PairBets bets = PairBets::kBoth;
  double design_q = 0.0;  // a guess of Q(f) at the claim, 0 for none; affects width alone
  int q_runs = 1;         // k, used with design_q
};

class PairBettingTest {
 public:
  // Errors: epsilon outside [0, 700], delta outside [0, 1], alpha outside (0, 1), horizon below 1
  // for a plan that hedges, design_q outside [0, 1], q_runs below 1.
  static Result<PairBettingTest> create(Epsilon epsilon, Delta delta, const PairBettingPlan& plan);

  // f(x) and the mean of the k values f(y), both in [0, 1].
  void observe(double f_of_p, double f_of_q);

  bool certified() const { return certified_; }  // the wealth reached 1/alpha at some time
  double wealth() const { return hedge_ + online_; }
  double max_wealth() const { return max_wealth_; }
  std::int64_t blocks() const { return time_; }
  Epsilon epsilon() const { return epsilon_; }

 private:
  PairBettingTest(Epsilon epsilon, Delta delta, const PairBettingPlan& plan);
  double hedge_bet() const;

  Epsilon epsilon_;
  double slope_;  // e^eps
  double delta_;
  double alpha_;
  double cap_;  // 1/(e^eps + delta)
  std::int64_t horizon_;
  double hedge_ = 0.0, online_ = 0.0;  // the two wealths
  double online_bet_ = 0.0, curvature_ = 1.0;
  double count_, square_sum_, cube_sum_;  // moments of z, with a prior
  double max_wealth_ = 1.0;
  std::int64_t time_ = 0;
  bool certified_ = false;
};

// One wealth for each of an increasing grid of eps.
class PairBettingBound {
 public:
  // Errors: those of PairBettingTest, and a grid that is empty or not increasing.
  static Result<PairBettingBound> create(std::span<const double> epsilon_grid, Delta delta,
                                         const PairBettingPlan& plan);

  void observe(double f_of_p, double f_of_q);
  // The largest certified grid point with all before it certified; 0 if none.
  LowerBound<Epsilon> epsilon() const;

 private:
  explicit PairBettingBound(std::vector<PairBettingTest> tests) : tests_(std::move(tests)) {}
  std::vector<PairBettingTest> tests_;
  std::size_t certified_ = 0;
};

// Bets that the witness leaks less than eps at delta; stops an audit that would find nothing.
class PairFutilityTest {
 public:
  // Errors: epsilon outside [0, 700], delta outside [0, 1], beta outside (0, 1).
  static Result<PairFutilityTest> create(Epsilon epsilon, Delta delta, double beta);

  // As PairBettingTest::observe, with a witness fixed before the block.
  void observe(double f_of_p, double f_of_q);

  bool certified() const { return certified_; }
  double wealth() const { return wealth_; }
  Epsilon epsilon() const { return epsilon_; }

 private:
  PairFutilityTest(Epsilon epsilon, Delta delta, double beta);

  Epsilon epsilon_;
  double slope_;  // e^eps
  double delta_;
  double beta_;
  double wealth_ = 1.0;
  double bet_ = 0.0, curvature_ = 1.0;
  bool certified_ = false;
};

}  // namespace assay
