#include "assay/mechanisms/faulty/output_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::faulty {
namespace {

double loss(const OutputCell& cell) {
  if (cell.q == 0.0) return kInfinity;
  return cell.p == 0.0 ? -kInfinity : portable_log(cell.p / cell.q);  // (1)
}

}  // namespace

double best_event_epsilon(OutputCells cells, double least, LeastOf side) {
  ASSAY_CHECK(least > 0.0 && least <= 1.0, "a probability");
  std::erase_if(cells, [](const OutputCell& cell) { return cell.p == 0.0 && cell.q == 0.0; });
  std::sort(cells.begin(), cells.end(),
            [](const OutputCell& a, const OutputCell& b) { return a.p * b.q > b.p * a.q; });
  double p = 0.0;
  double q = 0.0;
  for (const OutputCell& cell : cells) {
    const double here = side == LeastOf::kLarger ? cell.p : cell.q;
    const double missing = least - (side == LeastOf::kLarger ? p : q);
    const double part = here > missing ? missing / here : 1.0;
    p += part * cell.p;
    q += part * cell.q;
    if (here >= missing) break;
  }
  if (q == 0.0) return kInfinity;
  return std::max(0.0, portable_log(p / q));  // (2)
}

double largest_loss(std::span<const OutputCell> cells) {
  double most = -kInfinity;
  for (const OutputCell& cell : cells) {
    if (cell.p > 0.0) most = std::max(most, loss(cell));
  }
  return most;
}

OutputCells exchanged(OutputCells cells) {
  for (OutputCell& cell : cells) std::swap(cell.p, cell.q);
  return cells;
}

OutputCells product(std::span<const OutputCell> a, std::span<const OutputCell> b) {
  OutputCells out;
  out.reserve(a.size() * b.size());
  for (const OutputCell& x : a) {
    for (const OutputCell& y : b) out.push_back({x.p * y.p, x.q * y.q});
  }
  return out;
}

OutputCells merged(std::span<const OutputCell> cells, double width) {
  OutputCell only_p{0.0, 0.0};
  OutputCell only_q{0.0, 0.0};
  std::vector<std::pair<std::int64_t, const OutputCell*>> binned;
  binned.reserve(cells.size());
  for (const OutputCell& cell : cells) {
    if (cell.p > 0.0 && cell.q > 0.0) {
      binned.emplace_back(static_cast<std::int64_t>(std::floor(loss(cell) / width)), &cell);
    } else {
      only_p.p += cell.p;
      only_q.q += cell.q;
    }
  }
  OutputCells out;
  if (only_p.p > 0.0) out.push_back(only_p);
  if (only_q.q > 0.0) out.push_back(only_q);
  if (binned.empty()) return out;
  const auto [least, most] = std::minmax_element(
      binned.begin(), binned.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const std::int64_t first = least->first;
  const auto count = static_cast<std::size_t>(most->first - first) + 1;
  ASSAY_CHECK(count <= std::size_t{1} << 24, "a width of at least 6e-8 of the range of losses");
  OutputCells bins(count, OutputCell{0.0, 0.0});
  for (const auto& [bin, cell] : binned) {
    OutputCell& sum = bins[static_cast<std::size_t>(bin - first)];
    sum.p += cell->p;
    sum.q += cell->q;
  }
  for (const OutputCell& bin : bins) {
    if (bin.p > 0.0 || bin.q > 0.0) out.push_back(bin);
  }
  return out;
}

OutputCells cells_from_logs(std::span<const double> log_p, std::span<const double> log_q) {
  ASSAY_CHECK(log_p.size() == log_q.size(), "the same outputs");
  OutputCells out;
  for (std::size_t i = 0; i < log_p.size(); ++i) {
    out.push_back({portable_exp(log_p[i]), portable_exp(log_q[i])});
  }
  return out;
}

OutputCells laplace_cells_above(double x, double y, const Laplace& noise, double floor) {
  const double low = std::max(floor, std::min(x, y));
  const double high = std::max(floor, std::max(x, y));
  OutputCells out{{noise.ccdf(high - x), noise.ccdf(high - y)}};
  if (floor < low) {
    out.push_back(
        {noise.cdf(low - x) - noise.cdf(floor - x), noise.cdf(low - y) - noise.cdf(floor - y)});
  }
  if (low == high) return out;
  const double width = std::min(0.5 * (high - low), noise.scale());
  for (const auto& [at, weight] : gauss_legendre_nodes(low, high, {}, width)) {
    out.push_back({weight * portable_exp(noise.log_density(at - x)),
                   weight * portable_exp(noise.log_density(at - y))});
  }
  return out;
}

OutputCells laplace_cells(double x, double y, const Laplace& noise) {
  if (x == y) return {{1.0, 1.0}};
  return laplace_cells_above(x, y, noise, -kInfinity);
}

OutputCells laplace_cells(std::span<const double> x, std::span<const double> y,
                          const Laplace& noise, double width) {
  ASSAY_CHECK(x.size() == y.size(), "vectors of one length");
  OutputCells out{{1.0, 1.0}};
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] != y[i]) out = merged(product(out, laplace_cells(x[i], y[i], noise)), width);
  }
  return out;
}

}  // namespace assay::faulty
