// E-processes that test the hypothesis "the reported probabilities describe the sampler". Every white-box audit
// runs them, because its bounds mean nothing if this is false.
//
// Reported probabilities. If every action a_t is drawn from the reported distribution pi(.|h_t), then for
// any distributions g(.|h_t) that depend on the past alone
//     E_g = prod_t g(a_t|h_t)/pi(a_t|h_t)                                                    (1)
// is a nonnegative martingale from 1, and so is the mean over a family of g:
// P(sup >= 1/alpha) <= alpha over any number of rounds and transcripts. The family:
//     powers         g ~ pi^(1 + k)             a scale or rate other than the reported one
//     mixtures       g = (1 - e) pi + e/K       exploration that is not reported
//     lagged reward  g ~ pi exp(k r_(t-1)[a])   a leak of the rewards of the previous round
//     neighbour      g = pi', (pi + pi')/2      the neighbour's distribution: mixed-up states
//
// Agreement. With L = log dP/dQ and X, Y the two variables of draws from P and Q, however coupled,
//     E_P[min(1, e^(c - L))] = sum over outcomes of min(P, e^c Q) = E_Q[min(e^L, e^c)].      (2)
// so X - Y lies in [-e^c, 1] and has mean 0, and
//     prod_i (1 + lambda (X_i - Y_i)),  -1 <= lambda <= e^-c,                                (3)
// is a martingale. The e-process is the mean of (3) over c and lambda, of both signs.
// docs/proofs/reported_probabilities.md shows which faults (2) detects.
//
// Reference: Ramdas, Grunwald, Vovk, Shafer, "Game-theoretic statistics and safe anytime-valid
// inference" (Statistical Science 2023).
// Threads: values. Cost: 1.2 us a round for 5 actions; 0.25 us a pair of losses.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace assay {

// The largest value of an e-process so far. It reaches 1/alpha with probability at most alpha if the
// tested hypothesis is true.
class EvidenceAgainst {
 public:
  explicit EvidenceAgainst(double alpha);
  static auto byte_fields(auto& self) { return std::tie(self.alpha_, self.log_largest_); }

  void note(double log_e_value);  // the present value of the e-process
  double log_e_value() const { return log_largest_; }
  double e_value() const;  // at most the largest double
  double threshold() const { return 1.0 / alpha_; }
  bool alarm() const;

 private:
  double alpha_;
  double log_largest_ = 0.0;
};

// (1). Takes transcripts in order; use one object, or one per chunk of transcripts and then append().
class ReportedProbabilityTest {
 public:
  explicit ReportedProbabilityTest(double alpha = 0.5);  // by default, to read one into it
  static auto byte_fields(auto& self) {
    return std::tie(self.log_wealth_, self.evidence_, self.transcripts_);
  }

  // Takes the logs of the probabilities that were reported for every action before the round, and the action that was
  // drawn. The neighbour's probabilities and the rewards of the previous round may be empty; their alternatives are
  // then skipped.
  void round(std::span<const double> log_pi, std::span<const double> log_pi_neighbour,
             std::span<const double> lagged_rewards, int action);
  void end_transcript();  // notes the e-process

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

  // L = log dP/dQ of outcomes drawn from P, and of outcomes drawn from Q. The surplus of the longer
  // list is left out. Each call notes the e-process once.
  void observe(std::span<const double> losses_under_p, std::span<const double> losses_under_q);

  const EvidenceAgainst& evidence() const { return evidence_; }

 private:
  std::vector<double> log_wealth_;  // per c and lambda
  EvidenceAgainst evidence_;
};

}  // namespace assay
