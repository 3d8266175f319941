// Whether samples follow a distribution: Pearson's chi-square for counts, Kolmogorov's distance for numbers.
#pragma once

#include <boost/math/distributions/chi_squared.hpp>
#include <span>

#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

inline double chi_squared_p(double statistic, double degrees) {
  if (degrees == 0.0) return 1.0;
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(degrees), statistic));
}

struct FitOfCounts {
  double p_value = 0.0;
  int cells = 0;  // that are compared
};

// Cells expected fewer than 10 times are taken together, and left out where all of them are expected fewer
// than 5 times. The p-value is 0 where a cell came that cannot.
inline FitOfCounts fit_of_counts(std::span<const double> probabilities,
                                 std::span<const double> counts, double draws) {
  double statistic = 0.0, rest_expected = 0.0, rest = 0.0;
  FitOfCounts fit;
  const auto add = [&](double expected, double count) {
    statistic += (count - expected) * (count - expected) / expected;
    ++fit.cells;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = draws * probabilities[i];
    if (expected == 0.0 && counts[i] > 0.0) return fit;
    if (expected >= 10.0) {
      add(expected, counts[i]);
    } else {
      rest_expected += expected;
      rest += counts[i];
    }
  }
  if (rest_expected >= 5.0) add(rest_expected, rest);
  if (rest_expected < 1e-3 && rest > 2.0) return fit;
  fit.p_value = chi_squared_p(statistic, fit.cells - 1);
  return fit;
}

// The largest distance between the draws' empirical distribution function and `cdf`.
template <class Cdf>
double kolmogorov_distance(std::vector<double> draws, const Cdf& cdf) {
  std::sort(draws.begin(), draws.end());
  const auto n = static_cast<double>(draws.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double p = cdf(draws[i]);
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, p - rank / n, (rank + 1.0) / n - p});
  }
  return distance;
}

// P(distance > t/sqrt(n)) <= 2 exp(-2 t^2) for every n (Massart 1990): exceeded with probability at most kTestAlpha.
inline double kolmogorov_limit(std::size_t draws) {
  return std::sqrt(0.5 * std::log(2.0 / kTestAlpha) / static_cast<double>(draws));
}

}  // namespace assay
