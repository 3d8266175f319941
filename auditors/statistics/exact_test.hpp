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
// The maximum is never computed, it is bounded. pi along an affine piece p = a + b q is a
// polynomial in q, and |pi| <= (|p| + |1 - p|)^n (|q| + |1 - q|)^m in the complex plane. For its
// interpolant in the N + 1 Chebyshev points of a piece, with M the bound of |pi| on the Bernstein
// ellipse of parameter rho,
//     |pi - interpolant| <= 4 M rho^-N/(rho - 1),                                            (2)
//     max |interpolant - v| <= max over K + 1 Chebyshev points/cos(N pi/(2K)), any v.        (3)
// (|p| + |1 - p| is convex: its maximum over the ellipse is at most that over the corners of a
// polygon around it.) Where (2) is too large, the piece is halved, or settled by
//     pi(h(q), q) <= pi(h(b), a) on [a, b].                                                  (4)
// A concave h is replaced by its tangent, which lies above it. The tails outside the windows of
// summation, the error of the ordering and rounding are added to what is compared with alpha; what
// stays undecided counts as "not rejected".
//
// A lower bound needs every smaller eps rejected too: whether (1) is monotone in eps is not
// known. All eps of a stretch [e, e'] are rejected at once where
//     gamma + max over q in C(y) of pi'(h_e'(q), q) <= alpha, pi' that of {T_e >= T_e'(x, y)}, (5)
// since T falls in eps and null sets grow. The bound is the end of a chain of such stretches from
// 0: "the largest eps rejected together with every smaller one", the grid being all reals. Its
// error is at most alpha: an error rejects the true claim. (The same in mu.)
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
double exact_test_power(std::int64_t n, std::int64_t m, double alpha, Mu mu, double p, double q);

// Runs on P, and on Q `ratio` times as many, with which the power reaches `power`: the first of
// a growing sequence of sizes (steps of 3%) that does. Errors: p <= e^eps q + delta, q outside
// (0, 1), power outside (0, 0.9999], ratio outside [1/64, 64], alpha outside (1e-12, 1/2], or more
// than 1e8 runs on a side.
Result<std::int64_t> runs_for_power(double power, double ratio, double alpha, Epsilon epsilon,
                                    Delta delta, double p, double q);

// m/n that spends a total of runs best: e^eps sqrt(q (1 - q)/(p (1 - p))).
double best_ratio(Epsilon epsilon, double p, double q);

}  // namespace assay
