// Converts a privacy level of one kind into the level of another kind that it implies. Every conversion
// is the best that holds for all mechanisms of the given level, and rounds towards the weaker guarantee.
//
//   eps-DP       => mu-GDP,             mu = -2 Phi^-1(1/(1 + e^eps))                       (1)
//   (eps, d)-DP  => (eps', d')-DP,      1 - d' = (1 - d) (1 + e^eps')/(1 + e^eps)           (2)
//   mu-GDP       => (eps, delta)-DP,    delta = delta_mu(eps), see gdp.hpp                  (3)
//
// Proof of (1): the trade-off function of eps-DP has one corner, at (x, x) with x = 1/(1 + e^eps), and
// the convex G_mu through it lies below both edges. Proof of (2), for eps' <= eps: the corner of
// (eps, d)-DP is at x = (1 - d)/(1 + e^eps), and 1 - d' is the least value of the type II error plus
// e^eps' times the type I error.
//
// A conversion that does not exist is an error: mu > 0 gives no pure eps, delta > 0 gives no mu (GDP
// allows no event that has probability 0 on one input only), and (eps, d) gives no delta below d.
//
// Direction: upper bounds. Accuracy: at most 1e-12 (relative) above the exact value, in (1) for
// eps >= 1e-10, in (2) for d' and in (3) for delta. A returned eps is the smallest double whose delta,
// rounded up, is at most the given one.
//
// Reference: Dong, Roth, Su, "Gaussian differential privacy" (JRSS B, 2022), section 2 and
// Corollary 2.13; Kairouz, Oh, Viswanath, "The composition theorem for differential privacy" (IEEE
// Trans. Inf. Theory, 2017) for (2).
// Threads: pure functions. Cost: at most 0.1 ms.
#pragma once

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// The smallest delta at this eps, and the smallest eps at this delta. Errors of approximate_at_delta(): a
// delta below that of the level itself, or delta 0 if only an infinite eps would do.
ApproximateDp approximate_at_epsilon(const PrivacyLevel& level, Epsilon eps);
Result<ApproximateDp> approximate_at_delta(const PrivacyLevel& level, Delta delta);

// Errors: delta > 0.
Result<GaussianDp> to_gaussian(const PrivacyLevel& level);
// Errors: delta > 0, or mu > 0.
Result<PureDp> to_pure(const PrivacyLevel& level);

}  // namespace assay
