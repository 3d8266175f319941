// Do the reported probabilities describe the sampler? E-processes against "yes", run with every
// white-box audit, whose bounds mean nothing without it.
//
// Reported probabilities. If every action a_t is drawn from the reported distribution pi(.|h_t), then for
// any distributions g(.|h_t) that depend on the past alone
//     E_g = prod_t g(a_t|h_t)/pi(a_t|h_t)                                                    (1)
// is a nonnegative martingale from 1, and so is the mean over a family of g:
// P(sup >= 1/alpha) <= alpha over as many rounds and transcripts as one likes. The family:
//     powers         g ~ pi^(1 + k)             a scale or rate that is not the reported one
//     mixtures       g = (1 - e) pi + e/K       exploration that is not reported
//     lagged reward  g ~ pi exp(k r_(t-1)[a])   a leak of the rewards of the round before
//     neighbour      g = pi', (pi + pi')/2      the other side's distribution: a state mix-up
//
// Agreement. With L = log dP/dQ and X, Y the two variables of draws from P and Q, however coupled,
//     E_P[min(1, e^(c - L))] = sum over outcomes of min(P, e^c Q) = E_Q[min(e^L, e^c)].      (2)
// so X - Y lies in [-e^c, 1] and has mean 0, and
//     prod_i (1 + lambda (X_i - Y_i)),  -1 <= lambda <= e^-c,                                (3)
// is a martingale; the e-process is the mean of (3) over c and lambda, of both signs. What (2)
// sees: docs/proofs/reported_probabilities.md.
//
// Reference: Ramdas, Grunwald, Vovk, Shafer, "Game-theoretic statistics and safe anytime-valid
// inference" (Statistical Science 2023).
// Threads: values. Cost: 1.2 us a round for 5 actions; 0.25 us a pair of losses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace assay {

// The largest value of an e-process so far: reaches 1/alpha with probability at most alpha if what
// it tests is true.
class EvidenceAgainst {
 public:
  explicit EvidenceAgainst(double alpha);

  void note(double log_e_value);  // the e-process now
  double log_e_value() const { return log_largest_; }
  double e_value() const;  // at most the largest double
  double threshold() const { return 1.0 / alpha_; }
  bool alarm() const;

 private:
  double alpha_;
  double log_largest_ = 0.0;
};

// (1). Feed transcripts in order; one object, or one per chunk of transcripts and then append().
class ReportedProbabilityTest {
 public:
  explicit ReportedProbabilityTest(double alpha);

  // Logs of the reported probabilities of every action before the round, and the action drawn. The
  // neighbour's and the rewards of the round before may be empty: those alternatives then sit out.
  void round(std::span<const double> log_pi, std::span<const double> log_pi_neighbour,
             std::span<const double> lagged_rewards, int action);
  void end_transcript();  // looks at the e-process

  void append(const ReportedProbabilityTest& later);

  const EvidenceAgainst& evidence() const { return evidence_; }
  std::int64_t transcripts() const { return transcripts_; }

 private:
  std::vector<double> log_wealth_;  // one per alternative of the family
  EvidenceAgainst evidence_;
  std::int64_t transcripts_ = 0;
};

// (2), (3). Pairs the i-th loss under P with the i-th under Q.
class AgreementTest {
 public:
  explicit AgreementTest(double alpha);

  // L = log dP/dQ of outcomes drawn from P, and of outcomes drawn from Q; what one of the two has
  // in excess is left out. The e-process is looked at once a call.
  void observe(std::span<const double> losses_under_p, std::span<const double> losses_under_q);

  const EvidenceAgainst& evidence() const { return evidence_; }

 private:
  std::vector<double> log_wealth_;  // per c and lambda
  EvidenceAgainst evidence_;
};

}  // namespace assay
