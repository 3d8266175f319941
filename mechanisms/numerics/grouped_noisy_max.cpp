#include "assay/mechanisms/numerics/grouped_noisy_max.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// log of a sum of e^terms that come one by one.
class LogSum {
 public:
  void add(double weight, double exponent) {
    if (exponent <= top_) {
      sum_ += weight * portable_exp(exponent - top_);
    } else {
      sum_ = sum_ * portable_exp(top_ - exponent) + weight;
      top_ = exponent;
    }
  }
  double log() const { return top_ == -kInfinity ? -kInfinity : top_ + portable_log(sum_); }

 private:
  double top_ = -kInfinity;
  double sum_ = 0.0;
};

bool is_fixed(const ScoreGroup& group) { return group.values.size() == 1; }

// The logarithms of (1) at x.
template <class Noise>
double log_density_of(const Noise& noise, const ScoreGroup& group, double x) {
  if (is_fixed(group)) return noise.log_density(x - group.values[0]);
  LogSum sum;
  for (std::size_t k = 0; k < group.values.size(); ++k) {
    const double log_density = noise.log_density(x - group.values[k]);
    if (log_density > -kInfinity) sum.add(group.weights[k], log_density);
  }
  return sum.log();
}

template <class Noise>
double log_cdf_of(const Noise& noise, const ScoreGroup& group, double x) {
  if (is_fixed(group)) return noise.log_cdf(x - group.values[0]);
  double above = 0.0;
  for (std::size_t k = 0; k < group.values.size(); ++k) {
    above += group.weights[k] * noise.ccdf(x - group.values[k]);
  }
  if (above < 0.5) return portable_log1p(-above);
  LogSum sum;
  for (std::size_t k = 0; k < group.values.size(); ++k) {
    const double log_cdf = noise.log_cdf(x - group.values[k]);
    if (log_cdf > -kInfinity) sum.add(group.weights[k], log_cdf);
  }
  return sum.log();
}

struct Range {
  double low;
  double high;
};

// Where (2) is integrated.
template <class Noise>
Range range_of(const Noise& noise, std::span<const ScoreGroup> groups) {
  double least = kInfinity;
  double most = -kInfinity;
  double support = -kInfinity;  // below it some member surely is larger, if noise is positive
  double members = 0.0;
  for (const ScoreGroup& group : groups) {
    const auto [low, high] = std::minmax_element(group.values.begin(), group.values.end());
    least = std::min(least, *low);
    most = std::max(most, *high);
    support = std::max(support, *low);
    members += static_cast<double>(group.count);
  }
  const double reach = noise.scale() * (40.0 + portable_log(members));
  const bool positive = std::is_same_v<Noise, Exponential>;
  return {positive ? support : least - reach, most + reach};
}

template <class Noise>
std::vector<double> by_quadrature(const Noise& noise, std::span<const ScoreGroup> groups) {
  const Range range = range_of(noise, groups);
  std::vector<double> kinks;
  if constexpr (!std::is_same_v<Noise, Gumbel>) {
    for (const ScoreGroup& group : groups) {
      kinks.insert(kinks.end(), group.values.begin(), group.values.end());
    }
  }
  std::vector<LogSum> sums(groups.size());
  std::vector<double> log_cdf(groups.size());
  for (const auto& [x, weight] :
       gauss_legendre_nodes(range.low, range.high, kinks, 0.5 * noise.scale())) {
    double log_product = 0.0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      log_cdf[g] = log_cdf_of(noise, groups[g], x);
      log_product += static_cast<double>(groups[g].count) * log_cdf[g];
    }
    if (log_product == -kInfinity) continue;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const double log_density = log_density_of(noise, groups[g], x);
      if (log_density == -kInfinity) continue;
      sums[g].add(weight, log_density + (log_product - log_cdf[g]));  // (2)
    }
  }
  std::vector<double> out;
  for (const LogSum& sum : sums) out.push_back(sum.log());
  return out;
}

[[maybe_unused]] bool are_valid(std::span<const ScoreGroup> groups) {
  return !groups.empty() && std::all_of(groups.begin(), groups.end(), [](const ScoreGroup& g) {
    return !g.values.empty() && g.values.size() == g.weights.size() && g.count >= 1;
  });
}

}  // namespace

std::vector<double> grouped_noisy_max(const Laplace& noise, std::span<const ScoreGroup> groups) {
  ASSAY_CHECK(are_valid(groups), "groups of scores with a weight each");
  return by_quadrature(noise, groups);
}

std::vector<double> grouped_noisy_max(const Exponential& noise,
                                      std::span<const ScoreGroup> groups) {
  ASSAY_CHECK(are_valid(groups), "groups of scores with a weight each");
  return by_quadrature(noise, groups);
}

std::vector<double> grouped_noisy_max(const Gumbel& noise, std::span<const ScoreGroup> groups) {
  ASSAY_CHECK(are_valid(groups), "groups of scores with a weight each");
  if (!std::all_of(groups.begin(), groups.end(), is_fixed)) return by_quadrature(noise, groups);
  double most = -kInfinity;
  for (const ScoreGroup& group : groups) most = std::max(most, group.values[0]);
  LogSum total;
  for (const ScoreGroup& group : groups) {
    total.add(static_cast<double>(group.count), (group.values[0] - most) / noise.scale());
  }
  std::vector<double> out;
  for (const ScoreGroup& group : groups) {
    out.push_back((group.values[0] - most) / noise.scale() - total.log());  // (3)
  }
  return out;
}

}  // namespace assay
