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
//     option   lambda from bet_fraction.hpp, replicating the option "1/alpha at the horizon"; z is
//              modelled by a shifted Poisson variable with the second and third moment seen    (2)
//     online   Newton steps: g = -z/(1 + lambda z), A += g^2, lambda -= 2/(2 - ln 3) g/A, kept
//              in [0, 1/(2 (e^eps + delta))]                                                 (3)
// The option is as sharp as the normal limit at the horizon and worth nothing after it; Newton's
// steps adapt to the violation and have no horizon.
//
// Reference: Waudby-Smith and Ramdas (JRSS B 2024); Cutkosky and Orabona, "Black-box reductions for
// parameter-free online learning" (COLT 2018) for (3); Gonzalez et al., "Sequentially auditing
// differential privacy" (NeurIPS 2025).
// Threads: values. Same bits on every machine. Cost: 40 ns a block, more where hits are rare.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

enum class PairBets { kOption, kOnline, kBoth };

struct PairBettingPlan {
  double alpha = 0.05;       // in (0, 1)
  std::int64_t horizon = 0;  // planned number of blocks; the option's only
  PairBets bets = PairBets::kBoth;
  double design_q = 0.0;  // a guess of Q(f) at the claim, 0 for none; affects width alone
  int q_runs = 1;         // k, used with design_q
};

class PairBettingTest {
 public:
  // Errors: epsilon outside [0, 700], delta outside [0, 1], alpha outside (0, 1), horizon below 1
  // unless all bets are online, design_q outside [0, 1], q_runs below 1.
  static Result<PairBettingTest> create(Epsilon epsilon, Delta delta, const PairBettingPlan& plan);

  // f(x) and the mean of the k values f(y), both in [0, 1].
  void observe(double f_of_p, double f_of_q);

  bool certified() const { return certified_; }  // the wealth reached 1/alpha at some time
  double wealth() const { return option_ + online_; }
  double max_wealth() const { return max_wealth_; }
  std::int64_t blocks() const { return time_; }
  Epsilon epsilon() const { return epsilon_; }

 private:
  PairBettingTest(Epsilon epsilon, Delta delta, const PairBettingPlan& plan);
  double option_bet() const;

  Epsilon epsilon_;
  double slope_;  // e^eps
  double delta_;
  double alpha_;
  double cap_;  // 1/(e^eps + delta)
  std::int64_t horizon_;
  double option_ = 0.0, online_ = 0.0;  // the two wealths
  double online_bet_ = 0.0, curvature_ = 1.0;
  double count_, square_sum_, cube_sum_;  // moments of z, with a prior
  double max_wealth_ = 1.0;
  std::int64_t time_ = 0;
  bool certified_ = false;
};

}  // namespace assay
