// The probability that arm k wins a heterogeneous Gaussian noisy max.
//
// theta_j ~ N(m_j, s_j^2) independent; arm k wins when theta_k is the largest:
//   P(k) = integral f(x) dx,  f(x) = phi((x - m_k)/s_k)/s_k  prod_{j != k} Phi((x - m_j)/s_j)  (1)
//   P(k) = Phi((m_k - m_o)/sqrt(s_k^2 + s_o^2)), o the other arm, for N = 2                    (2)
// Every P is integrated by itself, so the sum over k is a check. On D and D' of a pair the integrals
// share the nodes, the product over the unchanged arms and, where unchanged, phi of arm k.
//
// Accuracy of log P, e = 2^-52:
//   kSampling  1e-10 + 4 e |log P|,  for |m_i - m_j| up to about 1e4 times the least scale
//   kExact     1e-14 + e |log P|
// These are relative errors of P, down to where the spacing of the doubles around log P dominates.
// Nothing underflows: P = exp(-1e5) is as accurate. A P that rounds to 1 gives 0.
// Proved in docs/proofs/gaussian_argmax.md, which has (3) and (4), except for rounding and the factor
// max f of (4). Those are measured: the tests compare 450 probabilities from exp(-1e5) to 1 - 1e-12
// with 45-digit quadrature; the worst errors are 1e-11 and 4e-16, in addition to the spacing.
//
// Threads: pure functions. Same bits on every x86-64 machine: see gaussian_argmax_kernel.hpp.
// Cost: about 25 nodes for arms of similar scales; a pair of inputs at N = 5 takes about 1 microsecond
//   in sampling and 2 in exact mode, all arms 1.5 to 2 times that, a small P 3 times
//   (benchmarks/gaussian_argmax_benchmark.cpp).
#pragma once

#include <memory>
#include <span>

namespace assay {

enum class ArgmaxPrecision {
  kSampling,  // relative error of P at most 1e-10
  kExact,     // relative error of P at most 1e-14
};

// The logarithms on the two inputs of a pair.
struct PairLogProbability {
  double p = 0.0;
  double q = 0.0;
};

// log P(k). Needs 1 <= N = means.size() = scales.size(), 0 <= k < N, finite means, positive scales.
double log_argmax_probability(std::span<const double> means, std::span<const double> scales, int k,
                              ArgmaxPrecision precision);

// The two inputs share the scales and all means but that of arm `changed`, which is means[changed]
// for p and changed_mean for q.
PairLogProbability log_argmax_probability_pair(std::span<const double> means,
                                               std::span<const double> scales, int changed,
                                               double changed_mean, int k,
                                               ArgmaxPrecision precision);

// All arms at once. Each probability is integrated by itself, so their sum is a check.
void log_argmax_probabilities(std::span<const double> means, std::span<const double> scales,
                              ArgmaxPrecision precision, std::span<double> log_p);
void log_argmax_probabilities_pair(std::span<const double> means, std::span<const double> scales,
                                   int changed, double changed_mean, ArgmaxPrecision precision,
                                   std::span<double> log_p, std::span<double> log_q);

// log_argmax_probability_pair for problems that follow one another and differ in few arms, as those of a
// policy's rounds. It keeps the factors of every arm on a grid, and computes only those of arms that changed.
// Precision kSampling. The results depend on the arguments alone, not on earlier calls. A copy starts without factors.
// Threads: one at a time. Cost: a third of log_argmax_probability_pair if one of 5 arms changed.
class GaussianArgmaxGrid {
 public:
  GaussianArgmaxGrid();
  ~GaussianArgmaxGrid();
  GaussianArgmaxGrid(const GaussianArgmaxGrid&);
  GaussianArgmaxGrid& operator=(const GaussianArgmaxGrid&);  // keeps its own factors

  PairLogProbability log_probability_pair(std::span<const double> means,
                                          std::span<const double> scales, int changed,
                                          double changed_mean, int k);

 private:
  struct Kept;
  std::unique_ptr<Kept> kept_;
};

}  // namespace assay
