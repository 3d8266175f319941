#include "assay/auditors/statistics/median.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "assay/auditors/statistics/binomial.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

MedianBounds median_bounds(std::vector<double> values, double alpha) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<std::int64_t>(values.size());
  const double most = portable_log(alpha / 2.0) - kBinomialRelativeError;
  std::int64_t k = 0;
  while (2 * k < n && binomial_log_cdf(k, n, 0.5) <= most) ++k;  // (1)
  if (k == 0) return {-HUGE_VAL, HUGE_VAL};
  return {values[static_cast<std::size_t>(k - 1)], values[static_cast<std::size_t>(n - k)]};
}

}  // namespace assay
