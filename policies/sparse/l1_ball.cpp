#include "assay/policies/sparse/l1_ball.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "assay/mechanisms/core/check.hpp"

namespace assay {

void project_onto_l1_ball(std::span<double> v, double radius) {
  ASSAY_CHECK(radius >= 0.0, "the radius is at least 0");
  std::vector<double> sizes;
  sizes.reserve(v.size());
  for (const double entry : v) sizes.push_back(std::fabs(entry));
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  double sum = 0.0;
  for (const double size : sizes) sum += size;
  if (sum <= radius) return;
  // Sums are of distances from the largest entry, which are exact where they matter, so that no
  // error is as large as v.
  double gaps = 0.0;
  double top = 0.0;  // |v|_(1) - t
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const double gap = sizes.front() - sizes[k];
    gaps += gap;
    const double candidate = (radius + gaps) / static_cast<double>(k + 1);
    if (gap >= candidate) break;
    top = candidate;  // (2)
  }
  for (double& entry : v) {
    entry = std::copysign(std::max(top - (sizes.front() - std::fabs(entry)), 0.0), entry);  // (1)
  }
}

}  // namespace assay
