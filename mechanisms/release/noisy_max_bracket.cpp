#include "assay/mechanisms/release/noisy_max_bracket.hpp"

#include <algorithm>
#include <cstddef>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

using detail::Enclosure;

struct Weights {
  std::vector<Enclosure> logs;  // (q - max q)/b
  std::vector<Enclosure> values;
  Enclosure total = 0.0;

  Weights(std::span<const double> scores, double scale) {
    const double most = *std::max_element(scores.begin(), scores.end());
    for (const double q : scores) {
      const bool best = q == most;  // exactly 1, without the rounding outward
      logs.push_back(best ? Enclosure(0.0) : (Enclosure(q) - most) / scale);
      values.push_back(best ? Enclosure(1.0) : exp(logs.back()));
      values.back().low = std::max(0.0, values.back().low);
      values.back().high = std::min(1.0, values.back().high);
      total = total + values.back();
    }
  }
};

LogInterval as_interval(Enclosure x) { return {x.low, std::min(0.0, x.high)}; }

// 1 - t w for t and w in [0, 1].
Enclosure one_minus(Enclosure t, Enclosure w) {
  const Enclosure factor = 1.0 - t * w;
  return {std::max(0.0, factor.low), std::min(1.0, factor.high)};
}

// prod over j != i of (1 - t w_j) for every i, from the products before and after: a division would
// lose the small factors.
void add_products(const Weights& weights, Enclosure t, Enclosure weight,
                  std::vector<Enclosure>& sums) {
  const std::size_t n = sums.size();
  std::vector<Enclosure> after(n + 1, 1.0);
  for (std::size_t i = n; i-- > 0;) {
    after[i] = after[i + 1] * one_minus(t, weights.values[i]);
    after[i].low = std::max(0.0, after[i].low);
  }
  Enclosure before = weight;
  for (std::size_t i = 0; i < n; ++i) {
    sums[i] = sums[i] + before * after[i + 1];
    before = before * one_minus(t, weights.values[i]);
    before.low = std::max(0.0, before.low);
  }
}

}  // namespace

std::vector<LogInterval> noisy_max_log_brackets(const Exponential& noise,
                                                std::span<const double> scores) {
  ASSAY_CHECK(!scores.empty(), "at least one score");
  const Weights weights(scores, noise.scale());
  const double total = weights.total.high;
  const double end = std::min(1.0, (45.0 + portable_log1p(total)) / total);
  std::vector<Enclosure> sums(scores.size(), 0.0);
  constexpr double kNode = 0x1p-50;
  for (const auto& [x, weight] : gauss_legendre_nodes(0.0, end, {}, 8.0 / total)) {
    const Enclosure t(std::max(0.0, x - kNode * end), std::min(1.0, x + kNode * end));
    add_products(weights, t, {weight * (1.0 - 4.0 * kNode), weight * (1.0 + 4.0 * kNode)}, sums);
  }
  const double outside = (Enclosure(0x1p-61) / (1.0 + weights.total)).high;
  std::vector<LogInterval> out;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Enclosure sum = sums[i] + Enclosure(-outside, outside);
    out.push_back(as_interval(weights.logs[i] + log(sum)));  // (1)
  }
  return out;
}

std::vector<LogInterval> noisy_max_log_brackets(const Gumbel& noise,
                                                std::span<const double> scores) {
  ASSAY_CHECK(!scores.empty(), "at least one score");
  const Weights weights(scores, noise.scale());
  const Enclosure log_total = log(weights.total);
  std::vector<LogInterval> out;
  for (const Enclosure& weight : weights.logs)
    out.push_back(as_interval(weight - log_total));  // (2)
  return out;
}

}  // namespace assay
