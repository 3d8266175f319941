#include "assay/policies/best_arm/phases.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/laplace.hpp"

namespace assay {

std::int64_t PhasePlan::rounds() const {
  return std::accumulate(pulls.begin(), pulls.end(), std::int64_t{0});
}

std::vector<double> PhasePlan::exact_values(std::span<const double> sums) const {
  ASSAY_CHECK(sums.size() == pulled.size(), "one sum per pulled arm");
  std::vector<double> out(values(), 0.0);
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (moments.empty()) {
      out[k] = sums[k] / static_cast<double>(pulls[k]);  // (1)
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
  for (std::size_t k = 0; k < out.size(); ++k) {  // (2)
    out[k] = noise == PhaseNoise::kLaplace
                 ? StandardLaplace::from_word(random.next(), exact[k], scales[k])
                 : StandardGaussian::from_word(random.next(), exact[k], scales[k]);
  }
  return out;
}

std::vector<double> PhasePlan::scores(std::span<const double> released) const {
  if (weights.empty()) return {released.begin(), released.end()};
  std::vector<double> out(active.size(), 0.0);
  const std::size_t width = released.size();
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t k = 0; k < width; ++k) out[i] += weights[i * width + k] * released[k];
  }
  return out;
}

std::vector<int> PhasePlan::survivors(std::span<const double> released) const {
  const auto score = scores(released);
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

double PhasePlan::log_density(std::span<const double> exact,
                              std::span<const double> released) const {
  if (noise == PhaseNoise::kNone) {
    return std::equal(exact.begin(), exact.end(), released.begin(), released.end())
               ? 0.0
               : -std::numeric_limits<double>::infinity();
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < exact.size(); ++k) {
    sum += noise == PhaseNoise::kLaplace
               ? Laplace::create(exact[k], scales[k]).value().log_density(released[k])
               : Gaussian::create(exact[k], scales[k]).value().log_density(released[k]);
  }
  return sum;
}

}  // namespace assay
