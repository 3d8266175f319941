// The law of grouped_noisy_max.hpp read off its definition: every node of a composite Gauss rule
// evaluates every score of every group by the noise's own functions. Shares the nodes of one panel
// with what it tests and nothing else; slow.
#pragma once

#include <span>

#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noisy_max/grouped_noisy_max.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

template <class Noise>
std::vector<double> direct_noisy_max(const Noise& noise, std::span<const ScoreGroup> groups) {
  std::vector<double> kinks;
  double members = 0.0;
  double support = -HUGE_VAL;
  for (const ScoreGroup& group : groups) {
    kinks.insert(kinks.end(), group.values.begin(), group.values.end());
    members += group.count;
    support = std::max(support, *std::min_element(group.values.begin(), group.values.end()));
  }
  const auto [least, most] = std::minmax_element(kinks.begin(), kinks.end());
  const double reach = noise.scale() * (45.0 + std::log(members));
  const double low = std::is_same_v<Noise, Exponential> ? support : *least - reach;
  std::vector<std::vector<double>> terms(groups.size());
  for (const auto& [x, weight] :
       gauss_legendre_nodes(low, *most + reach, kinks, 0.25 * noise.scale())) {
    std::vector<double> log_cdf;
    double product = 0.0;
    for (const ScoreGroup& group : groups) {
      double cdf = 0.0;
      double tail = 0.0;
      for (std::size_t k = 0; k < group.values.size(); ++k) {
        cdf += group.weights[k] * std::exp(noise.log_cdf(x - group.values[k]));
        tail += group.weights[k] * noise.ccdf(x - group.values[k]);
      }
      log_cdf.push_back(tail < 0.5 ? std::log1p(-tail) : std::log(cdf));
      product += group.count * log_cdf.back();
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      double density = 0.0;
      for (std::size_t k = 0; k < groups[g].values.size(); ++k) {
        density += groups[g].weights[k] * std::exp(noise.log_density(x - groups[g].values[k]));
      }
      const double term = weight * density * std::exp(product - log_cdf[g]);
      if (term > 0.0) terms[g].push_back(term);
    }
  }
  std::vector<double> out;
  for (auto& all : terms) {
    std::sort(all.begin(), all.end());
    double sum = 0.0;
    for (const double term : all) sum += term;
    out.push_back(std::log(sum));
  }
  return out;
}

}  // namespace assay
