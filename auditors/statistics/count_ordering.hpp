// The ordering of pairs of counts in the exact test, by their strength as evidence against a claim.
//
// An event occurred in x of n runs on P and in y of m runs on Q. A claim says that p <= h(q) for every event,
// where p and q are its probabilities on P and Q, and h is increasing and concave:
//     (eps, delta)-DP  h(q) = min(1, e^eps q + delta)                                       (1)
//     mu-GDP           h(q) = Phi(Phi^-1(q) + mu)                                           (2)
// The order is that of the signed root of the likelihood ratio, with half a hit added to y,
//     T(x, y) = sqrt(2 G),  G(x, y) = min over p <= h(q) of n kl(x/n, p) + m' kl(y'/m', q),  (3)
//     y' = y + 1/2, m' = m + 1, kl the Bernoulli divergence. T = 0 if x/n <= h(y'/m').
// Outside the null set the minimum lies on p = h(q), between q = y'/m' and h(q) = x/n.
//
// G is the partial minimum of a jointly convex function over a convex set (h is concave), so
// {G <= g} is convex; G increases in x and decreases in y (envelope theorem: its derivatives are
// logit(x/n) - logit(p0) >= 0 and logit(y'/m') - logit(q0) <= 0). Hence
//     {(x, y): T >= t} = {y <= Y(x)} with Y convex and increasing,                           (4)
// and the chord between two points of Y lies above Y, so a region from chords contains the exact one.
// The null sets of larger eps (or mu) contain those of smaller, so G decreases in it.
//
// Reference: Munk, Skipka, Stratmann, "Testing general hypotheses under binomial sampling" (CSDA
// 2005) for the likelihood ratio and its monotonicity.
// Threads: values and pure functions. Cost: 0.2 us a value of T for (1), 1 us for (2).
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

// The counts of one event: x of n runs on P, whose probability the claim bounds, and y of m runs on Q.
struct EventCounts {
  std::int64_t x = 0, n = 0;
  std::int64_t y = 0, m = 0;
};

namespace detail {

// h of (1) or (2).
class ClaimBoundary {
 public:
  static ClaimBoundary approximate(double epsilon, double delta);
  static ClaimBoundary gaussian(double mu);

  bool affine() const { return affine_; }
  double slope() const { return slope_; }  // e^eps of (1)
  double mu() const { return mu_; }

  double operator()(double q) const;  // h(q), at most 1
  double inverse(double p) const;     // the q with h(q) = p, at least 0
  double derivative(double q) const;  // h'(q)
  // The q with h(q) + q = 2 f, at least 0: that of an event of mean frequency f <= 1/2 on the two inputs.
  double split(double frequency) const;

 private:
  bool affine_ = true;
  double slope_ = 1.0;
  double delta_ = 0.0;
  double mu_ = 0.0;
};

class CountOrdering {
 public:
  CountOrdering(const ClaimBoundary& h, std::int64_t n, std::int64_t m);

  // T of (3) for real x in [0, n], y in [0, m]; 0 on the null set.
  double operator()(double x, double y) const;
  // q0 of (3), for T > 0.
  double nearest_null(double x, double y) const;
  // Y(x) of (4) for T >= t > 0, from above by at most 1e-6 (1 + Y); a value just below 0 if
  // not even y = 0 is in the region. `guess` starts the search.
  double critical(double x, double t, double guess) const;

 private:
  double root_at(double x, double hits, double q) const;
  double root_affine(double x, double y, double low, double high) const;
  double root_gaussian(double x, double y, double low, double high) const;

  ClaimBoundary h_;
  double n_, m_;  // m' = m + 1
};

// An upper bound on the error of T, relative to 1 + T, for up to 1e8 runs. The largest part is
// n 2^-53, if p is that close to 1. The exact test lowers its threshold by this much.
inline constexpr double kOrderingError = 1e-7;

}  // namespace detail
}  // namespace assay
