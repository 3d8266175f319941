#include "assay/auditors/methods/black_box/adaptive_bins.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using Counts = std::array<double, 2>;

constexpr std::size_t kUniformBins = 32;
constexpr std::size_t kFewValues = 64;

double deviance(const Counts& n) {  // (1)
  const double all = n[0] + n[1];
  double sum = 0.0;
  for (const double side : n) {
    if (side > 0.0) sum -= side * portable_log(side / all);
  }
  return 2.0 * sum;
}

Counts joined(const Counts& a, const Counts& b) { return {a[0] + b[0], a[1] + b[1]}; }

// The ranks of both samples, ascending.
std::vector<std::int64_t> sorted_ranks(std::span<const double> a, std::span<const double> b) {
  std::vector<std::int64_t> ranks;
  ranks.reserve(a.size() + b.size());
  for (const auto& side : {a, b}) {
    for (const double value : side) ranks.push_back(score_rank(value));
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace

double join_loss(const Counts& a, const Counts& b) {
  return deviance(joined(a, b)) - deviance(a) - deviance(b);
}

std::vector<std::int64_t> quantile_cuts(std::span<const double> a, std::span<const double> b,
                                        std::size_t least_count, double tail_step) {
  const auto ranks = sorted_ranks(a, b);
  std::vector<std::int64_t> cuts;
  if (ranks.empty()) return cuts;
  for (std::size_t i = 1; i < ranks.size() && cuts.size() <= kFewValues; ++i) {
    if (ranks[i] != ranks[i - 1]) cuts.push_back(ranks[i]);
  }
  if (cuts.size() <= kFewValues) return cuts;
  cuts.clear();
  const std::size_t n = ranks.size();
  std::vector<std::size_t> places;
  for (std::size_t k = 1; k < kUniformBins; ++k) places.push_back(k * n / kUniformBins);
  for (double tail = static_cast<double>(n) / kUniformBins / tail_step;
       tail >= static_cast<double>(least_count); tail /= tail_step) {
    places.push_back(static_cast<std::size_t>(tail));
    places.push_back(n - static_cast<std::size_t>(tail));
  }
  std::sort(places.begin(), places.end());
  for (const std::size_t place : places) {
    const auto [from, to] = std::equal_range(ranks.begin(), ranks.end(), ranks[place]);
    cuts.push_back(ranks[place]);
    // A value that occurs often has a cut on either side.
    const bool atom = to - from > static_cast<std::ptrdiff_t>(n / kFewValues);
    if (atom && to != ranks.end()) cuts.push_back(*to);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  if (cuts.front() == ranks.front()) cuts.erase(cuts.begin());
  return cuts;
}

AdaptiveBins::AdaptiveBins(std::span<const double> first, std::span<const double> second,
                           double least_gain) {
  constexpr std::size_t kFewestInBin = 64;
  // Quantiles of a subsample suffice: only the counts have to be exact.
  const auto thinned = [](std::span<const double> all) {
    constexpr std::size_t kMost = 1u << 14;
    const std::size_t step = all.size() / kMost + 1;
    std::vector<double> some;
    for (std::size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
    return some;
  };
  cuts_ = quantile_cuts(thinned(first), thinned(second), kFewestInBin, 2.0);
  std::vector<Counts> counts(cuts_.size() + 1, Counts{});
  for (const double value : first) counts[bin_of(cuts_, value)][0] += 1.0;
  for (const double value : second) counts[bin_of(cuts_, value)][1] += 1.0;
  const Counts totals{static_cast<double>(first.size()), static_cast<double>(second.size())};
  while (counts.size() > 1) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i + 1 < counts.size(); ++i) {
      const double loss = join_loss(counts[i], counts[i + 1]);
      if (loss < least) {
        least = loss;
        best = i;
      }
    }
    if (least >= least_gain) break;
    counts[best] = joined(counts[best], counts[best + 1]);
    counts.erase(counts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    cuts_.erase(cuts_.begin() + static_cast<std::ptrdiff_t>(best));
  }
  gain_ = deviance(totals);
  for (const Counts& n : counts) {
    gain_ -= deviance(n);
    ratios_.push_back(counts.size() == 1
                          ? 0.0
                          : portable_log((n[0] + 0.5) * totals[1] / ((n[1] + 0.5) * totals[0])));
  }  // (2)
}

}  // namespace assay
