// The distribution of report noisy max: log P(argmax_i q_i + Z_i = i) for all i, with Z independent
// and identically distributed.
//
//   P(i) = integral of f(x - q_i) prod over j != i of F(x - q_j) dx                            (1)
//   Gumbel        P(i) = e^(q_i/b)/sum_j e^(q_j/b)                                             (2)
//   Exponential   P(i) = w_i integral over t in [0, 1] of prod over j != i of (1 - t w_j) dt,
//                 w = e^((q - max q)/b): with t = e^(-(x - max q)/b)                           (3)
//   Laplace       between two neighbouring scores, with m scores above x,
//                 f prod F = e^(c x) prod over lower j of (1 - e^((q_j - x)/b)/2), c = m - 1 for a
//                 winner below x, m for one above                                              (4)
//   DiscreteLaplace  the sum of (1) over the integers. With q = n + phi, n = floor(q), i beats j
//                 at equal n + Z if phi_i is larger, or equal and i < j: one order for all x. So
//                 P(N_j < x) for those before i, P(N_j <= x) for those after, N = n + Z        (5)
//   Gaussian      (1) by the trapezoid rule, the nodes shared by all i; winners more than 20
//                 scales below the best by gaussian_argmax.hpp                                 (6)
//                 more than 2^26 below: at the peak x of the integrand, the mean of q_i and the c
//                 scores above x, in scales: -log P = (x - q_i)^2/2 + log(1 + c)/2 + sum over those
//                 of (q_j - x)^2/2 + log((q_j - x) sqrt(2 pi))                                 (7)
// Ties of integer noise go to the larger fraction (then they are not ties), then to the first. A
// location of the noise is common to all and cancels.
//
// Accuracy: relative error of P at most 1e-13 + 2e-16 n + 3e-16 |log P|, at any depth (P = e^-1e6
// is as good). Proved in docs/proofs/noisy_max_distribution.md but for the rounding, which is measured
// (tests/unit/noisy_max/noisy_max_distribution_test.cpp).
// Threads: pure. Same bits on every machine. Cost: O(n) per node; 100 nodes for (3), about 15
// sqrt(n) for (6), at most 600 plus 600 a kink that matters for (4), (5).
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "assay/mechanisms/noise/discrete_laplace.hpp"
#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"

namespace assay {

using MaxNoiseDistribution = std::variant<Laplace, Exponential, Gumbel, Gaussian, DiscreteLaplace>;

// Preconditions: at least one score, all finite. A probability that rounds to 1 has logarithm 0.
std::vector<double> noisy_max_log_probabilities(const MaxNoiseDistribution& noise,
                                                std::span<const double> scores);

// Entry `index` of the above, at the cost of one entry except for Gaussian noise.
double noisy_max_log_probability(const MaxNoiseDistribution& noise, std::span<const double> scores,
                                 std::size_t index);

}  // namespace assay
