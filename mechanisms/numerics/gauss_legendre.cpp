#include "assay/mechanisms/numerics/gauss_legendre.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/internal/legendre_tables.hpp"

namespace assay {

std::vector<QuadratureNode> gauss_legendre_nodes(double low, double high,
                                                 std::span<const double> breaks, double width) {
  ASSAY_CHECK(low < high && width > 0.0, "a range and a panel width");
  std::vector<double> edges{low, high};
  for (const double x : breaks) {
    if (x > low && x < high) edges.push_back(x);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<QuadratureNode> nodes;
  for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
    const double length = edges[e + 1] - edges[e];
    const double panels = std::ceil(length / width);
    const double half = 0.5 * (length / panels);
    for (double p = 0.0; p < panels; p += 1.0) {
      const double middle = edges[e] + (2.0 * p + 1.0) * half;
      for (std::size_t i = 0; i < std::size(detail::kLegendreNode16); ++i) {
        nodes.push_back(
            {middle + half * detail::kLegendreNode16[i], half * detail::kLegendreWeight16[i]});
      }
    }
  }
  return nodes;
}

}  // namespace assay
