#include "assay/auditors/statistics/rank_test.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

// Counts and their sum have relative errors of at most kMostRanked 2^-53.
constexpr double kRankOutward = 1.0 + 1e-13;

// Twice the rank of each of the sorted values; tied ones share the mean of theirs.
std::vector<std::size_t> doubled_ranks(const std::vector<double>& sorted) {
  std::vector<std::size_t> ranks;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t end = first;
    while (end < sorted.size() && sorted[end] == sorted[first]) ++end;
    ranks.insert(ranks.end(), end - first, first + end + 1);  // (first + 1) + end
    first = end;
  }
  return ranks;
}

// How many choices of `chosen` of the ranks have each sum (2).
std::vector<double> sums_of_choices(const std::vector<std::size_t>& ranks, std::size_t chosen) {
  const std::size_t most = std::accumulate(ranks.end() - static_cast<std::ptrdiff_t>(chosen),
                                           ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> counts(chosen + 1, std::vector<double>(most + 1, 0.0));
  counts[0][0] = 1.0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t k = std::min(i + 1, chosen); k >= 1; --k) {
      for (std::size_t sum = ranks[i]; sum <= most; ++sum) {
        counts[k][sum] += counts[k - 1][sum - ranks[i]];
      }
    }
  }
  return counts[chosen];
}

double doubled_u(const std::vector<double>& x, const std::vector<double>& y) {
  double u = 0.0;
  for (const double a : x) {
    for (const double b : y) u += a < b ? 2.0 : (a == b ? 1.0 : 0.0);
  }
  return u;
}

}  // namespace

RankTest rank_test(const std::vector<double>& x, const std::vector<double>& y) {
  ASSAY_CHECK(!x.empty() && !y.empty(), "a rank test needs two samples");
  const double pairs = static_cast<double>(x.size()) * static_cast<double>(y.size());
  const double twice = doubled_u(x, y);  // (1)
  RankTest test{1.0, twice / 2.0, twice > pairs};
  const double smaller = static_cast<double>(std::min(x.size(), y.size()));
  if (x.size() + y.size() > kMostRanked) {
    const double t = twice / (2.0 * pairs) - 0.5;
    test.p = std::min(1.0, 2.0 * portable_exp(-2.0 * smaller * t * t) * kRankOutward);  // (4)
    return test;
  }
  std::vector<double> sorted = x;
  sorted.insert(sorted.end(), y.begin(), y.end());
  std::sort(sorted.begin(), sorted.end());
  const auto counts = sums_of_choices(doubled_ranks(sorted), std::min(x.size(), y.size()));
  // The doubled sum of ranks of the smaller sample, n (n + 1) of which is that of a sample alone.
  const double own = y.size() <= x.size() ? twice : 2.0 * pairs - twice;
  const auto seen = static_cast<std::size_t>(own + smaller * (smaller + 1.0));
  double below = 0.0;
  double above = 0.0;
  double all = 0.0;
  for (std::size_t sum = 0; sum < counts.size(); ++sum) {
    all += counts[sum];
    if (sum <= seen) below += counts[sum];
    if (sum >= seen) above += counts[sum];
  }
  test.p = std::min(1.0, 2.0 * std::min(below, above) / all * kRankOutward);  // (3)
  return test;
}

std::vector<bool> holm_rejections(const std::vector<double>& p_values, double alpha) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<bool> rejected(p_values.size(), false);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!(p_values[order[i]] * static_cast<double>(order.size() - i) <= alpha)) break;
    rejected[order[i]] = true;
  }
  return rejected;
}

}  // namespace assay
