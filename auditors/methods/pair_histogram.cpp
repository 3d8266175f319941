#include "assay/auditors/methods/pair_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace assay {
namespace {

// The finite values of both inputs.
std::vector<double> finite_values(std::span<const double> a, std::span<const double> b) {
  std::vector<double> out;
  for (const auto side : {a, b}) {
    for (const double value : side) {
      if (std::isfinite(value)) out.push_back(value);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<double> edges_of(const std::vector<double>& sorted) {
  constexpr std::size_t kMostBins = 40;
  if (sorted.empty()) return {0.0, 1.0};
  const std::size_t tail = sorted.size() / 200;
  const double low = sorted[tail], high = sorted[sorted.size() - 1 - tail];
  const double width = high / 40.0 - low / 40.0;
  if (!(width > 0.0) || !std::isfinite(width)) return {low - 0.5, low + 0.5};
  std::vector<double> edges;
  for (std::size_t i = 0; i <= kMostBins; ++i) {
    edges.push_back(low + width * static_cast<double>(i));
  }
  return edges;
}

std::vector<double> bin_shares(std::span<const double> values, const std::vector<double>& edges) {
  const std::size_t bins = edges.size() - 1;
  std::vector<double> out(bins, 0.0);
  for (const double value : values) {
    const auto above = std::upper_bound(edges.begin(), edges.end(), value) - edges.begin();
    const auto bin = value != value ? bins - 1
                                    : static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
                                          above - 1, 0, static_cast<std::ptrdiff_t>(bins) - 1));
    out[bin] += 1.0;
  }
  for (double& share : out) share /= static_cast<double>(std::max<std::size_t>(1, values.size()));
  return out;
}

}  // namespace

PairHistogram pair_histogram(std::span<const double> base, std::span<const double> neighbour) {
  PairHistogram out;
  out.edges = edges_of(finite_values(base, neighbour));
  out.side_base = bin_shares(base, out.edges);
  out.side_neighbour = bin_shares(neighbour, out.edges);
  return out;
}

}  // namespace assay
