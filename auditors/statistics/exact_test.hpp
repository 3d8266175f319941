// The exact test of an event's counts against a privacy claim, and the bounds it implies.
//
// An event that was chosen in advance occurred in x of n independent runs on P and in y of m on Q. Claims
// (p <= h(q)) and the ordering T are those of count_ordering.hpp. With R(t) = {T >= t} and pi(p, q)
// its probability, the test rejects if
//     gamma + max over q in C(y) of pi(h(q), q) <= alpha,  R = R(T(x, y)),                   (1)
// C(y) the Clopper-Pearson interval of q at error gamma = alpha/1000 (Berger and Boos). R increases
// in x and decreases in y, so that pi increases in p and decreases in q and the null set's worst
// point lies on p = h(q). A true claim is rejected with probability at most alpha, at every n, m.
//
// The test bounds the maximum instead of computing it, and adds all errors of computation before it
// compares with alpha. An undecided case counts as "not rejected".
// A lower bound is "the largest eps rejected together with every smaller one": the end of a chain
// from 0 of intervals that (5) rejects as a whole. It is wrong with probability at most alpha, and so is the
// bound on mu. docs/proofs/exact_test.md has (2) to (5) and the proofs.
//
// x and y must be independent, and the event, n, m, alpha and the claim fixed before anyone saw the
// counts. Runs on P and Q with common random numbers are not independent: use pair_betting.hpp.
//
// Reference: Berger, Boos, "P values maximized over a confidence set" (JASA 1994); Munk et al. (see
// count_ordering.hpp); Trefethen, "Approximation theory and approximation practice", theorem 8.2
// for (2); Ehlich, Zeller (Math. Z. 1964) for (3).
// Threads: values; const members may be called from several threads. Results are bit-identical on every machine.
// Cost: docs/benchmarks.md.
#pragma once

#include <cstdint>

#include "assay/auditors/statistics/count_ordering.hpp"
#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

class ExactTest {
 public:
  // Errors: n or m outside [1, 1e8], a count outside [0, runs], alpha outside (1e-12, 1/2].
  static Result<ExactTest> create(const EventCounts& counts, double alpha);

  // Whether the test rejects the claim. epsilon in [0, 700], delta in [0, 1]; mu in [0, 35].
  bool refutes(Epsilon epsilon, Delta delta) const;
  bool refutes(Mu mu) const;

  // The largest eps (or mu) that (5) rejects together with every smaller one; 0 if there is none. It is found to
  // within a hundredth of a standard error.
  LowerBound<Epsilon> epsilon_lower_bound(Delta delta) const;
  LowerBound<Mu> mu_lower_bound() const;

  const EventCounts& counts() const { return counts_; }
  double alpha() const { return alpha_; }

 private:
  ExactTest(const EventCounts& counts, double alpha);
  bool rejects(const detail::ClaimBoundary& easiest, const detail::ClaimBoundary& hardest) const;
  template <class Claim>
  double chain(const Claim& claim, double largest) const;

  EventCounts counts_;
  double alpha_;
  double q_low_, q_high_;  // C(y)
};

// Probability that the test of n + m runs at level alpha refutes the claim if the event has
// probabilities p and q. Exact up to 1e-6 if q's window of counts has at most 128 values;
// beyond that, the boundary of the rejected counts is interpolated between 128 of them.
// Cost: about 260 decisions.
double exact_test_power(std::int64_t n, std::int64_t m, double alpha, Epsilon epsilon, Delta delta,
                        double p, double q);

// The m/n that makes the best use of a total number of runs: e^eps sqrt(q (1 - q)/(p (1 - p))).
double best_ratio(Epsilon epsilon, double p, double q);

}  // namespace assay
