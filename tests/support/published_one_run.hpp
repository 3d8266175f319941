// The published p-value of a one-run audit, for comparison: (3) of auditors/statistics/one_run.hpp.
#pragma once

#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/statistics/one_run.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

// Cost: v point probabilities.
inline double published_one_run_p_value(const GuessCounts& counts, Epsilon epsilon, Delta delta) {
  // Through the law of the wrong guesses, which keeps its digits where eps is large.
  const double wrong = std::exp(-epsilon.value) / (1.0 + std::exp(-epsilon.value));
  const std::int64_t r = counts.guesses, v = counts.correct;
  double window = 0.0, largest = 0.0;
  for (std::int64_t i = 1; i <= v; ++i) {
    window += std::exp(binomial_log_pmf(r - v + i, r, wrong));
    largest = std::max(largest, window / static_cast<double>(i));
  }
  const double beta = std::exp(binomial_log_cdf(r - v, r, wrong));
  return std::min(1.0, beta + 2.0 * static_cast<double>(counts.canaries) * delta.value * largest);
}

}  // namespace assay
