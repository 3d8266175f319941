#include "assay/mechanisms/numerics/count_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/mechanisms/core/check.hpp"

namespace assay {
namespace {

constexpr double kLeast = std::numeric_limits<double>::min();

}  // namespace

CountDistribution binomial_distribution(std::int64_t n, double p) {
  ASSAY_CHECK(n >= 0 && p >= 0.0 && p <= 1.0, "a binomial distribution");
  const double trials = static_cast<double>(n);
  if (p == 0.0 || n == 0) return {0.0, {1.0}};
  if (p == 1.0) return {trials, {1.0}};
  const double odds = p / (1.0 - p);
  const double mode = std::min(trials, std::floor((trials + 1.0) * p));
  std::vector<double> down;
  double weight = 1.0;
  for (double k = mode; k > 0.0; k -= 1.0) {
    weight *= k / ((trials - k + 1.0) * odds);  // (2)
    if (weight < kLeast) break;
    down.push_back(weight);
  }
  CountDistribution distribution{mode - static_cast<double>(down.size()),
                                 {down.rbegin(), down.rend()}};
  distribution.weights.push_back(1.0);
  weight = 1.0;
  for (double k = mode; k < trials; k += 1.0) {
    weight *= (trials - k) * odds / (k + 1.0);  // (2)
    if (weight < kLeast) break;
    distribution.weights.push_back(weight);
  }
  double total = 0.0;
  for (const double w : distribution.weights) total += w;
  for (double& w : distribution.weights) w /= total;
  return distribution;
}

}  // namespace assay
