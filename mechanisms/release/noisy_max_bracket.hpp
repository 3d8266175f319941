// Certified logarithms of report noisy max's probabilities, for exponential and Gumbel noise.
//
//   exponential (permute-and-flip): (3) of noisy_max_law.hpp in interval arithmetic             (1)
//   Gumbel (exponential mechanism): its softmax in interval arithmetic                          (2)
//
// Direction: the exact logarithm lies between lower and upper, for the scores as given. In (1) the
// nodes and weights are intervals of 2^-50 of the range and 2^-48 of themselves around the table's (a
// few roundings); the error of the rule is below 1e-21/V and of the range's end below
// e^(1 - 45)/(1 + V), V the sum of the weights (proof: noisy_max_law.hpp), together below
// 2^-61/(1 + V), which is added on both sides.
// Width: about 2e-15 (n + |log P|), 1e-12 at n = 300; Laplace, Gaussian and integer noise have
// measured accuracy only.
// Threads: pure. Cost: 100 n intervals, 0.1 us each, for (1); n for (2).
#pragma once

#include <span>
#include <vector>

#include "assay/mechanisms/accounting/optimal_composition.hpp"
#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"

namespace assay {

// Preconditions: at least one score, all finite.
std::vector<LogInterval> noisy_max_log_brackets(const Exponential& noise,
                                                std::span<const double> scores);
std::vector<LogInterval> noisy_max_log_brackets(const Gumbel& noise,
                                                std::span<const double> scores);

}  // namespace assay
