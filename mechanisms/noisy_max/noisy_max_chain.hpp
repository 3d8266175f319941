// The probability of an order of winners: successive noisy maxima, each over the scores that have not won
// before, with fresh Laplace noise of scale b in every round.
//
//   P_r = integral of f(x - q_r) prod over t > r of F(x - q_t) G(x) dx, q_1 .. q_s the scores taken, in
//   order, G(x) the product of F(x - q) over the scores that are never taken                     (1)
//   above the largest score, with t = e^-x in scales from there and w = e^q: 1 - F = t w/2, and
//   P_r gets w_r/2 times the integral of a polynomial over t in [0, 1]                          (2)
//   below it, panels that no score cuts; the integrand of (1) is log-concave, so the rest below x is
//   at most its value at x over the slope of its logarithm there                                (3)
//   where the scores below are too far to matter it is an exponential, as it is below all of them (4)
// G is computed once for all rounds: s times noisy_max_distribution.hpp would take s times as long and more.
//
// Accuracy: relative error of every P_r at most 1e-12 where the scores lie within 1e4 scales, at any depth;
// beyond, 1e-15 times their spread in scales (measured against noisy_max_distribution.hpp; (3) leaves out 1e-17 of it).
// Threads: a pure function. Same bits on every machine. Cost: 16 nodes a panel of O(d + s), d scores:
// 10 us for 2 of 6; 10 of 400 0.1 ms where the scores lie within few scales, 2 ms where they spread.
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/noise/laplace.hpp"

namespace assay {

// Sum over r of log P_r. Preconditions: finite scores; at least one index, each in range, none twice.
double noisy_max_chain_log_probability(const Laplace& noise, std::span<const double> scores,
                                       std::span<const std::int64_t> order);

}  // namespace assay
