// The privacy loss of a mixture of Gaussians: the records at stake move a sum by a random amount, which the output hides.
//
//   const std::vector<double> p{0.9703, 0.0294, 0.0003}, shifts{0.0, 1.0, 2.0};
//   auto loss = loss_of::gaussian_mixture(p, shifts, 2.0, MixturePair::kRemove);
//
// The sum moves by c_k with probability p_k, c_k >= 0. With outcomes z in standard deviations and m_k = c_k/sigma,
//   u(z) = sum of p_k e^(m_k z - m_k^2/2)                                                        (1)
//   kRemove    sum of p_k N(m_k)  against  N(0):                 log u(z)                        (2)
//   kAdd       N(0)  against  sum of p_k N(m_k):                -log u(z)                        (3)
//   kReplace   sum of p_k N(m_k)  against  sum of p_k N(-m_k):   log u(z) - log u(-z)            (4)
// Privacy: (2) to (4) dominate all mixtures of the same weights whose shifts are vectors of L2 norms at most c_k, chosen
// from earlier outputs if need be, and aligned vectors attain them. A group of G records of which each is in a
// Poisson sample with probability q is the mixture with p_k = C(G, k) q^k (1 - q)^(G - k), c_k = k.                (5)
// Proof: docs/proofs/sampling.md. Reference: Choquette-Choo, Ganesh, Steinke, Thakurta, "Privacy amplification for matrix
// mechanisms" (ICLR 2024), for (2) and (3).
//
// Errors: no component, lists of different lengths, more than 1001 components, weights that are negative or do not sum to 1
// within 1e-12, negative shifts, no shift above 0 with weight, or one above 40 sigma that has more than 2^-115 of the
// weight. Threads: pure functions. Cost: of the subsampled Gaussian, times the number of components with weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

enum class MixturePair { kRemove, kAdd, kReplace };

inline constexpr std::int64_t kMostComponents = 1001;
inline constexpr double kFurthestShift = 40.0;  // of sigma

// The weights of (5) for k = 0..G. Preconditions: group in 1..1000, q in (0, 1).
std::vector<double> group_weights(std::int64_t group, double q);

namespace loss_of {

Result<PrivacyLoss> gaussian_mixture(std::span<const double> weights,
                                     std::span<const double> shifts, double sigma, MixturePair pair,
                                     double log_tail = kDefaultLogTail);

}  // namespace loss_of
}  // namespace assay
