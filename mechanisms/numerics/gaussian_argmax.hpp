// The probability that arm k wins a heterogeneous Gaussian noisy max.
//
// theta_j ~ N(m_j, s_j^2) independent; arm k wins when theta_k is the largest:
//   P(k) = integral phi((x - m_k)/s_k)/s_k  prod_{j != k} Phi((x - m_j)/s_j) dx        (1)
//   P(k) = Phi((m_k - m_o) / sqrt(s_k^2 + s_o^2))                          for N = 2   (2)
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
