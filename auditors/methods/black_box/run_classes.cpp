#include "assay/auditors/methods/black_box/run_classes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "assay/auditors/methods/black_box/adaptive_bins.hpp"
#include "assay/auditors/methods/events.hpp"

namespace assay {
namespace {

constexpr std::size_t kManyRuns = 2000;
constexpr std::size_t kClasses = 20, kClassesOfMany = 32;
constexpr std::array kTails = {0.012, 0.025};  // of the runs, from either end
constexpr double kLargestStandard = 4.0;
constexpr double kQuartiles = 1.35;  // of a normal distribution, in standard deviations

// Cuts at the values at these places of the sorted ranks. A cut has values on both sides.
std::vector<std::int64_t> cuts_at(const std::vector<std::int64_t>& sorted,
                                  std::vector<std::size_t> places) {
  std::sort(places.begin(), places.end());
  std::vector<std::int64_t> cuts;
  for (const std::size_t place : places) {
    if (place == 0 || place >= sorted.size() || sorted[place] == sorted.front()) continue;
    if (cuts.empty() || sorted[place] > cuts.back()) cuts.push_back(sorted[place]);
  }
  return cuts;
}

std::vector<std::int64_t> cuts_of(const std::vector<std::int64_t>& sorted) {
  const std::size_t n = sorted.size();
  const std::size_t classes = n < kManyRuns ? kClasses : kClassesOfMany;
  std::vector<std::int64_t> values;
  for (const std::int64_t rank : sorted) {
    if (values.empty() || rank != values.back()) values.push_back(rank);
    if (values.size() > classes) break;
  }
  if (values.size() <= classes) return {values.begin() + 1, values.end()};
  std::vector<std::size_t> places;
  for (std::size_t k = 1; k < classes; ++k) places.push_back(k * n / classes);
  for (const double tail : kTails) {
    const auto beyond =
        std::max<std::size_t>(1, static_cast<std::size_t>(tail * static_cast<double>(n)));
    places.push_back(beyond);
    places.push_back(n - beyond);
  }
  // Where the numbers begin and end.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const std::int64_t edge :
       {score_rank(-kInfinity) + 1, score_rank(kInfinity), score_rank(kInfinity) + 1}) {
    const auto at = std::lower_bound(sorted.begin(), sorted.end(), edge);
    places.push_back(static_cast<std::size_t>(at - sorted.begin()));
  }
  return cuts_at(sorted, std::move(places));
}

// The median, and the distance of the quartiles in standard deviations; 0 if that is not a positive number.
struct Standard {
  double median = 0.0, deviation = 0.0;
  double of(double score) const {
    if (score != score) return kLargestStandard;
    if (!(deviation > 0.0)) return 0.0;
    return std::clamp((score - median) / deviation, -kLargestStandard, kLargestStandard);
  }
};

Standard standard_of(std::span<const double> scores) {
  std::vector<double> finite;
  for (const double score : scores) {
    if (std::isfinite(score)) finite.push_back(score);
  }
  if (finite.empty()) return {};
  const auto quantile = [&](std::size_t quarters) {
    const auto at =
        finite.begin() + static_cast<std::ptrdiff_t>(quarters * (finite.size() - 1) / 4);
    std::nth_element(finite.begin(), at, finite.end());
    return *at;
  };
  const double low = quantile(1), median = quantile(2), high = quantile(3);
  const double deviation = (high - low) / kQuartiles;
  return {median, std::isfinite(deviation) ? deviation : 0.0};
}

}  // namespace

ScoreCuts class_runs(std::span<const double> scores, std::span<const std::uint8_t> on_p) {
  std::vector<std::int64_t> ranks;
  ranks.reserve(scores.size());
  for (const double score : scores) ranks.push_back(score_rank(score));
  std::sort(ranks.begin(), ranks.end());
  ScoreCuts out{cuts_of(ranks), {}};
  const std::size_t classes = out.cuts.size() + 1;
  out.runs.p.assign(classes, 0.0);
  out.runs.q.assign(classes, 0.0);
  out.runs.z.assign(classes, 0.0);
  const Standard standard = standard_of(scores);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::size_t k = bin_of(out.cuts, scores[i]);
    (on_p[i] != 0 ? out.runs.p : out.runs.q)[k] += 1.0;
    out.runs.z[k] += standard.of(scores[i]);
  }
  for (std::size_t k = 0; k < classes; ++k) {
    out.runs.z[k] /= std::max(out.runs.p[k] + out.runs.q[k], 1.0);
  }
  return out;
}

}  // namespace assay
