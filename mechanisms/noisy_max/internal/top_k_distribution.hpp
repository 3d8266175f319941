// The distribution of one-shot top-k: which k of n scores are the largest after independent noise.
//
//   set S       P(min over S > max over the others) =
//               integral of d/dx[prod over others of F(x - q_j)] prod over S of (1 - F(x - q_s)) dx (1)
//   order, Gumbel noise: P(s_1, ..., s_k) = product over r of e^(q_(s_r)/b)/(sum over all but
//               s_1..s_(r-1) of e^(q_j/b)), the repeated exponential mechanism                  (2)
//   set, Gumbel noise: the sum of (2) over the orders of S, by subsets: P(A) = sum over i in A of
//               P(A - i) e^(q_i/b)/(sum over all but A - i)                                     (3)
//
// Accuracy: relative error 1e-12 of each probability at any depth, measured to n = 150 (terms are
// positive and added as logarithms). (1): panels of 16 Gauss-Legendre nodes between scores, of 1/4
// of the scale, for Gaussian noise min(1/2, 4/sqrt(n)); see noisy_max_distribution.hpp and
// gaussian_argmax.hpp for the error of such panels.
// Reference: Plackett (1975), Luce (1959) for (2); Durfee, Rogers, "Practical differentially
// private top-k selection with pay-what-you-get composition" (NeurIPS 2019) for its use.
// Threads: pure. Cost: (1) O(n) per node, about 64 nodes per scale of the range; (2) O(n k);
// (3) O(n + k 2^k).
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/noisy_max/noisy_max_distribution.hpp"

namespace assay {

// log of (1), (3). Preconditions: finite scores; `set` holds 1 to n different indices, at most 20
// for Gumbel noise; the noise is not DiscreteLaplace, whose ties the set alone does not settle.
double top_set_log_probability(const MaxNoiseDistribution& noise, std::span<const double> scores,
                               std::span<const std::int64_t> set);

// log of (2). Preconditions as above; `order` begins with the largest.
double top_order_log_probability(const Gumbel& noise, std::span<const double> scores,
                                 std::span<const std::int64_t> order);

}  // namespace assay
