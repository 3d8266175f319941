// Bets against a privacy claim on pairs of runs. The test is valid at any stopping time and for any dependence
// inside a pair. The witness, the neighbouring inputs and the orientation may be chosen again before each pair.
//
// For pair t a witness f with values in [0, 1], fixed before it, is evaluated on one run of P and one of Q. If
// P(f) <= e^eps Q(f) + delta,
//     z_t = f(x_t) - e^eps f(y_t) - delta,  W_t = W_(t-1) (1 + lambda_t z_t),                (1)
// is a nonnegative supermartingale for every predictable 0 <= lambda_t < 1/(e^eps + delta): the
// mean of z_t given the past needs the two marginals only. P(sup W >= 1/alpha) <= alpha (Ville).
// The claim is about all events and pairs, so the witness may exchange P and Q or change the pair.
//
// lambda replicates the option "1/alpha at the horizon" (bet_fraction.hpp), with z modelled by a
// shifted Poisson variable with the observed second and third moment.                         (2)
// At the horizon the option is as sharp as the normal limit; there are no bets after it.
//
// Reference: Waudby-Smith and Ramdas (JRSS B 2024); Gonzalez et al., "Sequentially auditing
// differential privacy" (NeurIPS 2025).
// Threads: values. Results are bit-identical on every machine. Cost: 30 ns a pair, more if hits are rare.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct PairBettingPlan {
  double alpha = 0.05;       // in (0, 1)
  std::int64_t horizon = 0;  // planned number of pairs; no bets after it
};

class PairBettingTest {
 public:
  // Errors: epsilon outside [0, 700], delta outside [0, 1], alpha outside (0, 1), horizon below 1.
  static Result<PairBettingTest> create(Epsilon epsilon, Delta delta, const PairBettingPlan& plan);

  // Observes f(x) and f(y), both in [0, 1].
  void observe(double f_of_p, double f_of_q);

  bool certified() const { return certified_; }  // whether the wealth has reached 1/alpha
  double wealth() const { return wealth_; }      // betting ends once certified

 private:
  PairBettingTest(Epsilon epsilon, Delta delta, const PairBettingPlan& plan);
  double bet() const;

  double slope_;  // e^eps
  double delta_;
  double alpha_;
  double cap_;  // 1/(e^eps + delta)
  std::int64_t horizon_;
  double wealth_ = 1.0;
  double count_, square_sum_, cube_sum_;  // moments of z, with a prior
  std::int64_t time_ = 0;
  bool certified_ = false;
};

}  // namespace assay
