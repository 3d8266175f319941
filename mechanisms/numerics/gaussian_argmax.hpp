// The probability that arm k wins a heterogeneous Gaussian noisy max.
//
// theta_j ~ N(m_j, s_j^2) independent; arm k wins when theta_k is the largest:
//   P(k) = integral f(x) dx,  f(x) = phi((x - m_k)/s_k)/s_k  prod_{j != k} Phi((x - m_j)/s_j)  (1)
//   P(k) = Phi((m_k - m_o)/sqrt(s_k^2 + s_o^2)), o the other arm, for N = 2                    (2)
// Every P is integrated by itself, so the sum over k is a check. The two sides of a pair share the
// nodes, the product over the unchanged arms and, where unchanged, phi of the played arm.
//
// Accuracy of log P, e = 2^-52:
//   kSampling  1e-10 + 4 e |log P|,  for |m_i - m_j| up to about 1e4 times the least scale
//   kExact     1e-14 + e |log P|
// that is, of the relative error of P, down to where the spacing of the doubles around log P
// dominates. Nothing underflows: P = exp(-1e5) is as good. A P that rounds to 1 gives 0.
//   Proved. The mean of the theta_j weighted by 1/s_j^2 is independent of their differences, so of
//   the winner, and has variance r^2 = 1/sum_j 1/s_j^2. So f is a mixture of N(., r^2), and
//     trapezoid rule of step h: relative error <= 2 sum_{i >= 1} exp(-2 pi^2 i^2 r^2/h^2)      (3)
//   which is 9.5e-12 at h = 0.87 r and 3.4e-17 at h = 0.715 r. Also |f(x + iy)| is at most
//   exp(y^2/(2 r^2)) f(x), so that a Gauss-Legendre panel of n points and half-length a has error
//     <= (64/15) a exp(a^2 (rho - 1/rho)^2/(8 r^2)) rho^(-2n)/(1 - rho^-2) max f, any rho > 1  (4)
//   over the real span of the ellipse rho: the two powers give 4e-14 for 16 points on 5.5 r and
//   less than 1e-17 for 24 on 7.4 r. Arms with Phi = 1 within 1.5e-13 (exact: 2.3e-17) on all that
//   is left of the range no longer count in r. The nodes leave out at most 2e-11 (exact: 1e-15) of
//   P: by Phi(-t) <= exp(-t^2/2)/2 where P is not small, else by log-concavity below the mode.
//   Approximations of Phi: 7e-13 and 8.5e-13 (exact: 1.4e-16), as measured by the script that fits
//   them; above 64 arms, where they could add up, sampling uses the exact loops.
//   Measured, not proved: rounding, and the factor max f of (4). The tests compare 450
//   probabilities from exp(-1e5) to 1 - 1e-12 with 45-digit quadrature; the worst errors are 1e-11
//   and 4e-16 beside the spacing.
//
// Reference: (3) is Poisson summation, see Trefethen and Weideman, "The Exponentially Convergent
//   Trapezoidal Rule", SIAM Review 56 (2014); (4) is Theorem 4.5 of Trefethen, "Is Gauss Quadrature
//   Better than Clenshaw-Curtis?", SIAM Review 50 (2008).
// Threads: pure functions. Same bits on every x86-64 machine: see gaussian_argmax_kernel.hpp.
// Cost: about 25 nodes for arms of similar scales; a pair of sides at N = 5 about 1 microsecond in
//   sampling and 2 in exact mode, all arms 1.5 to 2 times that, a small P 3 times
//   (benchmarks/gaussian_argmax_benchmark.cpp).
#pragma once

#include <span>

namespace assay {

enum class ArgmaxPrecision {
  kSampling,  // relative error of P at most 1e-10
  kExact,     // relative error of P at most 1e-14
};

// The two sides of a neighbouring pair.
struct PairLogProbability {
  double p = 0.0;
  double q = 0.0;
};

// log P(k). Needs 1 <= N = means.size() = scales.size(), 0 <= k < N, finite means, positive scales.
double log_argmax_probability(std::span<const double> means, std::span<const double> scales, int k,
                              ArgmaxPrecision precision);

// The two sides share the scales and all means but that of arm `changed`, which is means[changed]
// on side p and changed_mean on side q.
PairLogProbability log_argmax_probability_pair(std::span<const double> means,
                                               std::span<const double> scales, int changed,
                                               double changed_mean, int k,
                                               ArgmaxPrecision precision);

// All arms at once; each probability is integrated by itself, so that their sum is a check.
void log_argmax_probabilities(std::span<const double> means, std::span<const double> scales,
                              ArgmaxPrecision precision, std::span<double> log_p);
void log_argmax_probabilities_pair(std::span<const double> means, std::span<const double> scales,
                                   int changed, double changed_mean, ArgmaxPrecision precision,
                                   std::span<double> log_p, std::span<double> log_q);

}  // namespace assay
