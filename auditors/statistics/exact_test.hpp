// The exact test of an event's counts against a privacy claim, and the bounds it implies.
//
// x of n independent runs on side P and y of m on side Q hit an event chosen in advance. Claims
// (p <= h(q)) and the ordering T are those of count_ordering.hpp. With R(t) = {T >= t} and pi(p, q)
// its probability, the test rejects where
//     gamma + max over q in C(y) of pi(h(q), q) <= alpha,  R = R(T(x, y)),                   (1)
// C(y) the Clopper-Pearson interval of q at error gamma = alpha/1000 (Berger and Boos). R increases
// in x and decreases in y, so that pi increases in p and decreases in q and the null set's worst
// point lies on p = h(q). A true claim is rejected with probability at most alpha, at every n, m.
//
// The maximum is never computed, it is bounded, with all errors of computation added to what is
// compared with alpha; what stays undecided counts as "not rejected".
// A lower bound is "the largest eps rejected together with every smaller one": the end of a chain
// from 0 of stretches that are rejected as a whole, by (5). Its error is at most alpha, also in
// mu.
// Proofs, and (2) to (5): docs/proofs/exact_test.md.
//
// x and y must be independent, the event, n, m, alpha and the claim fixed before the counts were
// seen. Two sides of common random numbers are not independent: use pair_betting.hpp.
//
// Reference: Berger, Boos, "P values maximized over a confidence set" (JASA 1994); Munk et al. (see
// count_ordering.hpp); Trefethen, "Approximation theory and approximation practice", theorem 8.2
// for (2); Ehlich, Zeller (Math. Z. 1964) for (3).
// Threads: values; const members may be called from several threads. Same bits on every machine.
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

  // Is the claim rejected? epsilon in [0, 700], delta in [0, 1]; mu in [0, 35].
  bool refutes(Epsilon epsilon, Delta delta) const;
  bool refutes(Mu mu) const;

  // Largest eps (mu) rejected together with every smaller one by (5); 0 if none is. Found to within
  // a hundredth of a standard error.
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

// Probability that the test of n + m runs at level alpha refutes the claim when the event has
// probabilities p and q. Exact up to 1e-6 where q's window of counts has at most 128 values;
// beyond, the boundary of the rejected counts is interpolated between 128 of them.
// Cost: 260 decisions or so.
double exact_test_power(std::int64_t n, std::int64_t m, double alpha, Epsilon epsilon, Delta delta,
                        double p, double q);

// m/n that spends a total of runs best: e^eps sqrt(q (1 - q)/(p (1 - p))).
double best_ratio(Epsilon epsilon, double p, double q);

}  // namespace assay
