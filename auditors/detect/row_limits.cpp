#include "assay/auditors/detect/row_limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/auditors/statistics/count_ordering.hpp"
#include "assay/mechanisms/core/map_chunks.hpp"
#include "assay/mechanisms/faulty/output_cells.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

struct Event {
  double p;
  double q;
};

// Threshold events, rarest first. Of events that differ by less than 1% in probability, only one is kept.
std::vector<Event> threshold_events(faulty::OutputCells cells) {
  std::erase_if(cells, [](const auto& cell) { return cell.p == 0.0 && cell.q == 0.0; });
  std::sort(cells.begin(), cells.end(),
            [](const auto& a, const auto& b) { return a.p * b.q > b.p * a.q; });
  std::vector<Event> out;
  double p = 0.0;
  double q = 0.0;
  for (const auto& cell : cells) {
    p += cell.p;
    q += cell.q;
    if (!(p < 1.0 - 1e-9) || !(p > q) || (!out.empty() && p < 1.01 * out.back().p)) continue;
    out.push_back({p, q});
  }
  return out;
}

// The number of `samples` that go to Q.
double best_share(const Event& event, double samples) {
  constexpr double kMostRatio = 32.0;
  const double q = std::max(event.q, 1.0 / samples);
  const double ratio = std::sqrt((1.0 - q) / q) / std::sqrt((1.0 - event.p) / event.p);
  const double clamped = std::clamp(ratio, 1.0 / kMostRatio, kMostRatio);
  return std::floor(samples * clamped / (1.0 + clamped));
}

double certified(const Event& event, double samples, double z) {
  const double m = best_share(event, samples);
  const double n = samples - m;
  double low = 0.0;
  double high = portable_log(event.p / std::max(event.q, 1e-3 / samples));
  for (int step = 0; step < 30; ++step) {
    const double middle = 0.5 * (low + high);
    const detail::CountOrdering order(detail::ClaimBoundary::approximate(middle, 0.0),
                                      static_cast<std::int64_t>(n), static_cast<std::int64_t>(m));
    (order(n * event.p, m * event.q) >= z ? low : high) = middle;  // (1)
  }
  return low;
}

}  // namespace

double certifiable_epsilon(faulty::OutputCells cells, std::int64_t samples, double alpha) {
  const double z = std::max(normal_ccdf_quantile(alpha), 0.1);
  const auto all = static_cast<double>(samples);
  double best = 0.0;
  for (const Event& event : threshold_events(std::move(cells))) {
    best = std::max(best, certified(event, all, z));
  }
  return best;
}

RowLimits limits_of(const faulty::DetectionRow& row, double least, std::int64_t samples,
                    double alpha, const RunControl& control) {
  const auto found = map_chunks(control, row.pairs.size(), [&](std::size_t pair) {
    RowLimits limits;
    auto cells = row.cells(pair);
    for (int direction = 0; direction < 2; ++direction) {
      limits.best_event = std::max(
          limits.best_event, faulty::best_event_epsilon(cells, least, faulty::LeastOf::kLarger));
      limits.ceiling = std::max(limits.ceiling, certifiable_epsilon(cells, samples, alpha));
      cells = faulty::exchanged(std::move(cells));
    }
    return limits;
  });
  RowLimits best;
  for (const RowLimits& limits : found) {
    best.best_event = std::max(best.best_event, limits.best_event);
    best.ceiling = std::max(best.ceiling, limits.ceiling);
  }
  return best;
}

}  // namespace assay
