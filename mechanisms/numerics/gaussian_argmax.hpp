// The probability that arm k wins a heterogeneous Gaussian noisy max.
//
// theta_j ~ N(m_j, s_j^2) independent; arm k wins when theta_k is the largest:
//   P(k) = integral f(x) dx,  f(x) = phi((x - m_k)/s_k)/s_k  prod_{j != k} Phi((x - m_j)/s_j) (1)
//   P(k) = Phi((m_k - m_o)/sqrt(s_k^2 + s_o^2)), o the other arm, for N = 2 (2)
// Every P is integrated by itself, so the sum over k is a check. On a pair of sides the nodes, the
// product over the unchanged arms and, where it is unchanged, phi of the played arm are shared.
//
// Accuracy of log P, e = 2^-52:
//   kSampling  1e-10 + 4 e |log P|     kExact  1e-14 + e |log P|
// that is, the relative error of P down to where the spacing of the doubles that hold log P
// dominates; no underflow, P = exp(-1e5) is as good. Needs |m_i - m_j| < 1e20 s_k. A P that rounds
// to 1 gives 0.
//   Proved. The mean of the theta_j weighted by 1/s_j^2 is independent of their differences, so of
//   the winner, and has variance r^2 = 1/sum_j 1/s_j^2. So f is a mixture of N(., r^2), and
//     trapezoid rule of step h: relative error <= 2 sum_{i >= 1} exp(-2 pi^2 i^2 r^2/h^2) (3)
//     9.5e-12 at h = 0.87 r, 3.4e-17 at h = 0.715 r; and |f(x + iy)| <= exp(y^2/(2 r^2)) f(x), so
//     that the error of a Gauss-Legendre panel with n points and half-length a is at most min over
//     rho of (64/15) a exp(a^2 (rho - 1/rho)^2/(8 r^2)) rho^(-2n)/(1 - rho^-2) max f       (4) on
//     the ellipse rho: the exponential part is 1e-13 for 16 points on 5.5 r, 1e-15 for 24 on 7.4 r.
//   Arms with Phi = 1 within 1.5e-13 (2.3e-17) on what is left of the range leave r^2. Nodes start
//   and end where the integral left out is at most 2e-11 (1e-14 / 10) of P: by Phi(-t) <=
//   exp(-t^2/2)/2 on the fast way, by log-concavity below the mode on the careful way, taken when P
//   turns out small. Approximations of Phi: 7e-13 and 8e-13 (sampling), 1.4e-16 (exact), printed by
//   the script that fits them; above 64 arms, where they could add up, sampling uses the exact
//   loops. Measured, not proved: rounding, and (4) with its factor max f. The tests compare some
//   450 probabilities from exp(-1e5) to 1 - 1e-12 with 45-digit quadrature.
//
// Reference: (3) is Poisson summation, see Trefethen and Weideman, "The Exponentially Convergent
//   Trapezoidal Rule", SIAM Review 56 (2014); (4) is their Theorem 4.5 in "Is Gauss Quadrature
//   Better than Clenshaw-Curtis?" (Trefethen, SIAM Review 50, 2008).
// Threads: pure functions. Same bits on every x86-64 machine: see gaussian_argmax_kernel.hpp.
// Cost: about 25 nodes for arms of similar scales; a pair of sides at N = 5 about 1 microsecond in
//   sampling and 2 in exact mode, all arms 1.5 times that; small P three times
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
