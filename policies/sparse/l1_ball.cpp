#include "assay/policies/sparse/l1_ball.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "assay/mechanisms/core/check.hpp"

namespace assay {

void project_onto_l1_ball(std::span<double> v, double radius) {
  ASSAY_CHECK(radius >= 0.0, "a ball has a radius");
  std::vector<double> sizes;
  sizes.reserve(v.size());
  for (const double entry : v) sizes.push_back(std::fabs(entry));
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  double sum = 0.0;
  for (const double size : sizes) sum += size;
  if (sum <= radius) return;
  double threshold = 0.0;
  sum = 0.0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    sum += sizes[k];
    const double candidate = (sum - radius) / static_cast<double>(k + 1);
    if (sizes[k] <= candidate) break;
    threshold = candidate;  // (2)
  }
  // At radius 0 nothing is above the threshold of the first.
  if (threshold <= 0.0) threshold = sizes.front();
  for (double& entry : v) {
    entry = std::copysign(std::max(std::fabs(entry) - threshold, 0.0), entry);  // (1)
  }
}

}  // namespace assay
