#include "assay/policies/faulty/exploration_count.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"

namespace assay::faulty {
namespace {

constexpr std::size_t kOpen = ExplorationCount::kHorizon - ExplorationCount::kCalibration - 1;
constexpr std::int64_t kMost = static_cast<std::int64_t>(kOpen);
constexpr std::int64_t kRecommend = 3;

std::int64_t calibrated(std::span<const double> rewards) {
  double sum = 0.0;
  for (std::size_t t = 0; t < ExplorationCount::kCalibration; ++t) sum += rewards[t];
  return static_cast<std::int64_t>(std::floor(sum));
}

}  // namespace

ExplorationCount::ExplorationCount(bool faulty)
    : noise_(DiscreteLaplace::create((faulty ? 1.0 : 2.0) / kEpsilon).value()) {}

void ExplorationCount::play(std::span<const double> rewards, ReplayStream& random,
                            std::span<double> actions) const {
  const std::int64_t sum = calibrated(rewards);
  std::fill(actions.begin(), actions.end(), 0.0);
  std::int64_t explore = std::clamp<std::int64_t>(sum + noise_.sample(random), 0, kMost);  // (1)
  // Exploring with probability (explorations left)/(rounds left) gives a uniform subset.
  for (std::size_t left = kOpen; left > 0 && explore > 0; --left) {
    if (static_cast<std::int64_t>(uniform_below(random, left)) >= explore) continue;
    actions[kCalibration + kOpen - left] = 1.0;
    --explore;
  }
  actions.back() = sum + noise_.sample(random) >= kRecommend ? 1.0 : 0.0;  // (2)
}

TranscriptDistribution ExplorationCount::distribution(std::span<const double> rewards) const {
  const std::int64_t sum = calibrated(rewards);
  const double last = noise_.ccdf(kRecommend - sum);
  TranscriptDistribution out;
  for (std::int64_t n = 0; n <= kMost; ++n) {
    const double count = n == 0       ? noise_.cdf(-sum)
                         : n == kMost ? noise_.ccdf(kMost - sum)
                                      : portable_exp(noise_.log_pmf(n - sum));
    out[2 * static_cast<std::uint64_t>(n)] = count * (1.0 - last);  // (3)
    out[2 * static_cast<std::uint64_t>(n) + 1] = count * last;
  }
  return out;
}

std::uint64_t ExplorationCount::cell(std::span<const double> actions) {
  std::uint64_t count = 0;
  for (std::size_t t = kCalibration; t + 1 < kHorizon; ++t) count += actions[t] == 1.0 ? 1 : 0;
  return 2 * count + (actions[kHorizon - 1] == 1.0 ? 1 : 0);
}

}  // namespace assay::faulty
