#include "assay/mechanisms/faulty/output_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::faulty {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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
  std::map<std::int64_t, OutputCell> bins;
  for (const OutputCell& cell : cells) {
    if (cell.p == 0.0 && cell.q == 0.0) continue;
    const double bin = std::clamp(std::floor(loss(cell) / width), -9e18, 9e18);
    OutputCell& sum =
        bins.try_emplace(static_cast<std::int64_t>(bin), OutputCell{0, 0}).first->second;
    sum.p += cell.p;
    sum.q += cell.q;
  }
  OutputCells out;
  for (const auto& [bin, cell] : bins) out.push_back(cell);
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

OutputCells laplace_cells(double x, double y, const Laplace& noise) {
  if (x == y) return {{1.0, 1.0}};
  const double low = std::min(x, y);
  const double high = std::max(x, y);
  OutputCells out{{noise.cdf(low - x), noise.cdf(low - y)},
                  {noise.ccdf(high - x), noise.ccdf(high - y)}};
  const double width = std::min((high - low) / 16.0, noise.scale());
  for (const auto& [at, weight] : gauss_legendre_nodes(low, high, {}, width)) {
    out.push_back({weight * portable_exp(noise.log_density(at - x)),
                   weight * portable_exp(noise.log_density(at - y))});
  }
  return out;
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
