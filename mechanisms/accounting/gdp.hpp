// Gaussian differential privacy (GDP): computes the privacy profile, its inverses, the trade-off function
// and composition. Deltas and probabilities may be given as logarithms, so they may be arbitrarily small.
//
// mu-GDP says that a test between two neighbours is at least as hard as one between N(0, 1) and
// N(mu, 1). With t = eps/mu, a = t - mu/2, b = t + mu/2, phi the normal density and
// R(x) = (1 - Phi(x))/phi(x) the Mills ratio, mu-GDP is the same as (eps, delta_mu(eps))-DP for
// every eps >= 0, where
//   delta_mu(eps) = Phi(-a) - e^eps Phi(-b)                                      (1)
//                 = phi(a) (R(a) - R(b))            since phi(a) = e^eps phi(b)  (2)
//                 = 1 - phi(a) (R(-a) + R(b))                                    (3)
// (1) cancels digits. The code sums (2) around t without cancellation, and uses (3) for deltas near 1:
//   R(t - h) - R(t + h) = 2 sum over odd k of J_k(t) h^k,  all terms positive    (4)
//   J_k(t) = integral over s > 0 of s^k e^(-ts - s^2/2) ds / k!,  J_0 = R        (5)
//   q_k = J_k/J_(k-1) = 1/(t + (k + 1) q_(k+1)),  J_0 = 1/(t + q_1)              (6)
//
// Accuracy: |computed log delta - log delta| <= kGdpRelativeError |log delta| for mu in
// [1e-300, 1e100] and eps/mu < 1e150 (log delta down to -5e299; beyond, the lowest double). If delta is
// a normal double, |computed delta - delta| <= kGdpRelativeError delta. The largest error measured
// against 100 digits is 2e-15 (tests/unit/accounting/gdp_test.cpp). The inverses are exact for the
// computed profile: they return one of the two adjacent doubles between which it crosses the target.
// For a certified bound use the versions _lower and _upper, which move the result outward by
// kGdpRelativeError. To widen a profile value itself, multiply log delta by 1 -+ kGdpRelativeError.
//
// Reference: Dong, Roth, Su, "Gaussian differential privacy" (JRSS B, 2022): section 2.2 (GDP),
// Corollary 2.13 (the profile, both ways), section 3 (composition); Gautschi, "Computational
// aspects of three-term recurrence relations" (SIAM Review, 1967) for (6).
// Preconditions: no NaN, mu >= 0, eps >= 0, log_delta <= 0 (-inf is the log of zero).
// Threads: pure functions. Cost: 0.1 to 1.5 us per profile, 0.1 ms per inverse.
#pragma once

#include <span>

#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

inline constexpr double kGdpRelativeError = 1e-14;

// The profile. gdp_log_delta is -inf only at mu = 0 or eps = inf, and 0 only at mu = inf.
double gdp_log_delta(Mu mu, Epsilon eps);  // log delta_mu(eps)
Delta gdp_delta(Mu mu, Epsilon eps);       // 0 where it underflows

// The smallest eps >= 0 with delta_mu(eps) <= delta; infinite for delta = 0 < mu.
Epsilon gdp_epsilon(Mu mu, double log_delta);
Epsilon gdp_epsilon(Mu mu, Delta delta);
LowerBound<Epsilon> gdp_epsilon_lower(Mu mu, double log_delta);
UpperBound<Epsilon> gdp_epsilon_upper(Mu mu, double log_delta);

// The smallest mu with delta_mu(eps) >= delta, which is the mu of the profile through (eps, delta). It
// is infinite for delta = 1, and 0 for delta = 0.
Mu gdp_mu(Epsilon eps, double log_delta);
Mu gdp_mu(Epsilon eps, Delta delta);
LowerBound<Mu> gdp_mu_lower(Epsilon eps, double log_delta);
UpperBound<Mu> gdp_mu_upper(Epsilon eps, double log_delta);

// The trade-off function G_mu: the smallest type II error of a test of N(0, 1) against N(mu, 1)
// whose type I error is alpha,
//   G_mu(alpha) = Phi(Phi^-1(1 - alpha) - mu)                                       (7)
double gdp_trade_off(Mu mu, double type_one);

// The mu that one event implies, if it has probability p on one input and q on the other:
//   |Phi^-1(p) - Phi^-1(q)|                                                         (8)
// The order of the inputs does not matter, since G_mu is its own inverse. For exact logarithms the
// absolute error is at most 1e-13 (|Phi^-1(p)| + |Phi^-1(q)|) + 1e-15; the lower version subtracts
// twice that.
Mu mu_from_event(double log_p, double log_q);
LowerBound<Mu> mu_from_event_lower(double log_p, double log_q);

// The mu of the adaptive composition of mu_i-GDP releases: sqrt(sum mu_i^2), with a relative error of at most 1e-15.
Mu compose_gdp(std::span<const Mu> parts);

}  // namespace assay
