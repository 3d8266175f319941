// The binomial distribution in log space, and Clopper-Pearson limits.
//
// With S(k) = log k! - log(sqrt(2 pi k) (k/e)^k) and the deviance D(x, mu) = x log(x/mu) + mu - x,
//   log b(k; n, p) = S(n) - S(k) - S(n - k) - D(k, n p) - D(n - k, n (1 - p))
//                    + log(n/(2 pi k (n - k)))/2                                          (1)
//   P(X >= k) = b(k) (1 + r_k + r_k r_(k+1) + ...),  r_j = (n - j)/(j + 1) p/(1 - p)       (2)
// and the mirror image of (2) for the lower tail. The code sums the tail that does not contain the mean;
// the other tail is its complement. (1) has no cancellation: every term is small or relatively exact.
//
// The Clopper-Pearson lower limit is the p with P(X >= k; p) = alpha; the upper limit is the mirror image.
// At any true p each of them is wrong with probability at most alpha. Both are moved outward by more than
// the error of (1) and (2): alpha is reduced by kBinomialRelativeError of itself before the equation is
// solved, and the returned limit satisfies the computed inequality.
//
// Accuracy: the relative error of every tail is at most kBinomialRelativeError for n <= 1e9 while its
// logarithm is above -700 (1e-11 in a comparison with Boost).
// Reference: Loader, "Fast and accurate computation of binomial probabilities" (2000); Clopper and
// Pearson (Biometrika 1934). Preconditions: 0 <= k <= n, n >= 1, p in [0, 1], alpha in (0, 1).
// Threads: pure functions. Cost: 0.2 us per log pmf, a few sqrt(n) ns per tail; a limit takes ten tails.
#pragma once

#include <cstdint>

#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

using Probability = Quantity<struct ProbabilityTag>;

inline constexpr double kBinomialRelativeError = 1e-9;

double binomial_log_pmf(std::int64_t k, std::int64_t n, double p);
double binomial_log_cdf(std::int64_t k, std::int64_t n, double p);       // log P(X <= k)
double binomial_log_at_least(std::int64_t k, std::int64_t n, double p);  // log P(X >= k)

LowerBound<Probability> clopper_pearson_lower(std::int64_t k, std::int64_t n, double alpha);
UpperBound<Probability> clopper_pearson_upper(std::int64_t k, std::int64_t n, double alpha);

// The smallest number of successes in n whose Clopper-Pearson lower limit reaches p; n + 1 if there is none.
std::int64_t fewest_successes(std::int64_t n, double p, double alpha);

namespace detail {

// D(x, mu) = x log(x/mu) + mu - x >= 0 for real x >= 0, mu >= 0, without cancellation. Infinite for
// mu = 0 < x.
double deviance(double x, double mu);

}  // namespace detail
}  // namespace assay
