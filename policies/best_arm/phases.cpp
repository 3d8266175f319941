#include "assay/policies/best_arm/phases.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/laplace.hpp"

namespace assay {

std::vector<double> PhasePlan::exact_values(std::span<const double> sums,
                                            std::span<const std::int64_t> counts) const {
  ASSAY_CHECK(sums.size() == pulled.size() && counts.size() == pulled.size(),
              "one sum and count per pulled arm");
  std::vector<double> out(values(), 0.0);
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (moments.empty()) {
      out[k] = sums[k] / static_cast<double>(counts[k]);  // (1)
    } else {
      for (std::size_t j = 0; j < sums.size(); ++j)
        out[k] += moments[k * sums.size() + j] * sums[j];
    }
  }
  return out;
}

std::vector<double> PhasePlan::release(std::span<const double> exact, ReplayStream& random) const {
  std::vector<double> out(exact.begin(), exact.end());
  if (noise == PhaseNoise::kNone) return out;
  std::uint64_t word = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {  // (2)
    if (k == 0 || !faults.shares_noise) word = random.next();
    out[k] = noise == PhaseNoise::kLaplace ? StandardLaplace::from_word(word, exact[k], scales[k])
                                           : StandardGaussian::from_word(word, exact[k], scales[k]);
  }
  return out;
}

std::vector<double> PhasePlan::scores(std::span<const double> values) const {
  if (weights.empty()) return {values.begin(), values.end()};
  std::vector<double> out(active.size(), 0.0);
  const std::size_t width = values.size();
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t k = 0; k < width; ++k) out[i] += weights[i * width + k] * values[k];
  }
  return out;
}

std::vector<int> PhasePlan::survivors(std::span<const double> values) const {
  const auto score = scores(values);
  std::vector<std::size_t> order(active.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto last = order.begin() + static_cast<std::ptrdiff_t>(keep);
  std::nth_element(order.begin(), last - 1, order.end(), [&](std::size_t a, std::size_t b) {
    return score[a] != score[b] ? score[a] > score[b] : a < b;
  });
  std::sort(order.begin(), last);
  std::vector<int> out;
  for (auto i = order.begin(); i != last; ++i) out.push_back(active[*i]);
  return out;
}

double PlayedPhase::loss(std::span<const double> before, std::span<const double> after) const {
  const bool base_played = std::equal(before.begin(), before.end(), exact.begin(), exact.end());
  const double sure = (base_played ? 1.0 : -1.0) * std::numeric_limits<double>::infinity();
  const auto& b = plan->scales;
  const bool one_draw = plan->noise != PhaseNoise::kNone && plan->faults.shares_noise;
  double sum = 0.0;
  for (std::size_t k = 0; k < before.size(); ++k) {
    const double move = before[k] - after[k];
    // A shared draw moves all values alike, so that differences between them have no noise. Its own
    // density enters once.
    if (one_draw && move / b[k] != (before[0] - after[0]) / b[0]) return sure;
    if (move == 0.0 || (one_draw && k > 0)) continue;
    const double past_before = released[k] - before[k];
    const double past_after = released[k] - after[k];
    switch (plan->noise) {
      case PhaseNoise::kNone:
        return sure;
      case PhaseNoise::kLaplace:
        sum += (std::fabs(past_after) - std::fabs(past_before)) / b[k];
        break;
      case PhaseNoise::kGaussian:
        sum += move * (past_before + past_after) / (2.0 * b[k] * b[k]);
        break;
    }
  }
  const bool is_told =
      plan->faults.ranks_exact && plan->survivors(before) != plan->survivors(after);
  return is_told ? sure : sum;
}

}  // namespace assay
