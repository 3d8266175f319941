// The exact tails of a sum of independent Laplace variables, such as the noise of m nodes of a tree.
//
// X is the sum of m Laplace variables of scale 1:
//   P(X > x) = sum_{k<m} C(m-1+k, k) 2^-(m+k) Q(m-1-k, x),  x >= 0                             (1)
//   Q(j, x) = e^-x sum_{i<=j} x^i/i!
// because the density is sum_k C(m-1+k, k) 2^-(m+k) e^-|x| |x|^(m-1-k)/(m-1-k)!, as X is the difference
// of two Gamma(m) variables. All terms of (1) are positive, so nothing cancels.
//
// Accuracy: the logarithm has an error of at most 1e-14 (1 + |itself|). Reference: Kotz, Kozubowski, Podgorski, "The
// Laplace Distribution and Generalizations" (2001), section 2.3.
// Threads: pure functions. The same bits on every machine. Cost: O(m^2) a tail.
#pragma once

namespace assay {

// log of P(|X| > x) = 2 (1). Preconditions: 1 <= m <= 64, x >= 0.
double log_laplace_sum_tail(int m, double x);

// The smallest double x with log P(|X| > x) <= log_beta, as computed. Precondition: log_beta <= 0.
double laplace_sum_quantile(int m, double log_beta);

}  // namespace assay
