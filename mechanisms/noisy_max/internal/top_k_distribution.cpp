#include "assay/mechanisms/noisy_max/internal/top_k_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/log_sum.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

std::vector<char> marks_of(std::size_t n, std::span<const std::int64_t> set) {
  std::vector<char> marks(n, 0);
  for (const std::int64_t s : set) {
    ASSAY_CHECK(
        s >= 0 && static_cast<std::size_t>(s) < n && marks[static_cast<std::size_t>(s)] == 0,
        "different indices of scores");
    marks[static_cast<std::size_t>(s)] = 1;
  }
  return marks;
}

// (1) at x: the logarithm of its integrand.
template <class Noise>
double log_integrand(const Noise& noise, std::span<const double> scores,
                     const std::vector<char>& in, double x) {
  double product = 0.0;
  LogSum hazards;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double z = x - scores[j];
    if (in[j] != 0) {
      product += noise.log_ccdf(z);
    } else {
      const double below = noise.log_cdf(z);
      product += below;
      hazards.add(1.0, noise.log_density(z) - below);
    }
    if (product == -kInfinity) return -kInfinity;
  }
  return product + hazards.log();
}

template <class Noise>
double integrated(const Noise& noise, std::span<const double> scores, const std::vector<char>& in) {
  constexpr bool kGaussian = std::is_same_v<Noise, Gaussian>;
  const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
  const double b = noise.scale();
  const double reach = b * (kGaussian ? 14.0 : 60.0);
  double start = *low - reach;
  if constexpr (std::is_same_v<Noise, Exponential>) {
    // Below the best of the others no other score can be their largest.
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (in[j] == 0) start = std::max(start, scores[j]);
    }
  }
  const double width =
      kGaussian ? std::min(0.5, 4.0 / std::sqrt(static_cast<double>(scores.size()))) : 0.25;
  LogSum total;
  for (const auto& [x, weight] : gauss_legendre_nodes(
           start, *high + reach, kGaussian ? std::span<const double>{} : scores, width * b)) {
    total.add(1.0, log_integrand(noise, scores, in, x) + portable_log(weight));
  }
  return std::min(0.0, total.log());
}

// (q - best)/b, the logarithm of a weight. `best` is that of the scores left: relative to one far
// above, the differences among the rest would be lost. Clamped, as the difference may overflow.
double log_weight(const Gumbel& noise, double q, double best) {
  return std::max(-1e300, (q - best) / noise.scale());
}

double gumbel_set(const Gumbel& noise, std::span<const double> scores,
                  std::span<const std::int64_t> set, const std::vector<char>& in) {
  ASSAY_CHECK(set.size() <= 20, "at most 20 indices: subsets are enumerated");
  double best_other = -kInfinity;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (in[j] == 0) best_other = std::max(best_other, scores[j]);
  }
  LogSum others;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (in[j] == 0) others.add(1.0, log_weight(noise, scores[j], best_other));
  }
  const std::size_t k = set.size();
  const auto score = [&](std::size_t i) { return scores[static_cast<std::size_t>(set[i])]; };
  std::vector<double> log_p(std::size_t{1} << k, -kInfinity);
  log_p[0] = 0.0;
  for (std::size_t chosen = 0; chosen + 1 < log_p.size(); ++chosen) {
    double best = best_other;
    for (std::size_t i = 0; i < k; ++i) {
      if (((chosen >> i) & 1U) == 0) best = std::max(best, score(i));
    }
    LogSum left;
    left.add(1.0, others.log() + log_weight(noise, best_other, best));
    for (std::size_t i = 0; i < k; ++i) {
      if (((chosen >> i) & 1U) == 0) left.add(1.0, log_weight(noise, score(i), best));
    }
    for (std::size_t i = 0; i < k; ++i) {
      if (((chosen >> i) & 1U) != 0) continue;
      double& more = log_p[chosen | (std::size_t{1} << i)];
      const double term = log_p[chosen] + log_weight(noise, score(i), best) - left.log();
      more = more < term ? log_add_exp(term, more) : log_add_exp(more, term);  // (3)
    }
  }
  return std::min(0.0, log_p.back());
}

}  // namespace

double top_set_log_probability(const MaxNoiseDistribution& noise, std::span<const double> scores,
                               std::span<const std::int64_t> set) {
  ASSAY_CHECK(!set.empty(), "at least one index");
  const auto in = marks_of(scores.size(), set);
  if (set.size() == scores.size()) return 0.0;
  return std::visit(
      [&](const auto& distribution) {
        using Distribution = std::decay_t<decltype(distribution)>;
        if constexpr (std::is_same_v<Distribution, Gumbel>) {
          return gumbel_set(distribution, scores, set, in);
        } else if constexpr (std::is_same_v<Distribution, DiscreteLaplace>) {
          ASSAY_CHECK(false, "sets under integer noise have ties");
          return std::numeric_limits<double>::quiet_NaN();
        } else {
          return integrated(distribution, scores, in);  // (1)
        }
      },
      noise);
}

double top_order_log_probability(const Gumbel& noise, std::span<const double> scores,
                                 std::span<const std::int64_t> order) {
  auto taken = marks_of(scores.size(), order);
  std::fill(taken.begin(), taken.end(), 0);
  double total = 0.0;
  for (const std::int64_t s : order) {
    double best = -kInfinity;
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (taken[j] == 0) best = std::max(best, scores[j]);
    }
    LogSum left;
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (taken[j] == 0) left.add(1.0, log_weight(noise, scores[j], best));
    }
    const auto place = static_cast<std::size_t>(s);
    total += std::min(0.0, log_weight(noise, scores[place], best) - left.log());  // (2)
    taken[place] = 1;
  }
  return total;
}

}  // namespace assay
