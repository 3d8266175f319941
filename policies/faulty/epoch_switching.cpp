#include "assay/policies/faulty/epoch_switching.hpp"

#include <algorithm>

namespace assay::faulty {
namespace {

constexpr std::size_t kDecisions = EpochSwitching::kHorizon / EpochSwitching::kEpoch - 1;

// Writes the actions by the decisions for the first and second half of each later epoch.
void write_actions(std::span<const bool> first_half, std::span<const bool> second_half,
                   std::span<double> actions) {
  constexpr std::size_t kHalf = EpochSwitching::kEpoch / 2;
  bool arm = false;
  for (std::size_t t = 0; t < EpochSwitching::kEpoch; ++t) actions[t] = 0.0;
  for (std::size_t k = 0; k < kDecisions; ++k) {
    const bool halves[] = {arm != first_half[k], arm != second_half[k]};
    for (std::size_t t = 0; t < EpochSwitching::kEpoch; ++t) {
      actions[(k + 1) * EpochSwitching::kEpoch + t] = halves[t / kHalf] ? 1.0 : 0.0;
    }
    arm = halves[1];
  }
}

std::uint64_t key_of(std::uint64_t first_half, std::uint64_t second_half) {
  bool first[kDecisions];
  bool second[kDecisions];
  for (std::size_t k = 0; k < kDecisions; ++k) {
    first[k] = (first_half >> k & 1) != 0;
    second[k] = (second_half >> k & 1) != 0;
  }
  double actions[EpochSwitching::kHorizon];
  write_actions(first, second, actions);
  return transcript_key(actions);
}

}  // namespace

EpochSwitching::EpochSwitching(EpochFault fault)
    : fault_(fault), noise_(Laplace::create(0.0, 1.0 / kEpsilon).value()) {}

std::vector<double> EpochSwitching::margins(std::span<const double> rewards) const {
  std::vector<double> out;
  double sum = 0.0;
  double bar = 0.0;
  for (std::size_t k = 0; k < kDecisions; ++k) {
    if (fault_ != EpochFault::kCounterNotReset) sum = bar = 0.0;
    bar += 0.5 * static_cast<double>(kEpoch);
    const std::size_t early = fault_ == EpochFault::kOffByOne && k > 0 ? 1 : 0;
    for (std::size_t t = k * kEpoch - early; t < (k + 1) * kEpoch; ++t) sum += rewards[t];
    out.push_back(bar - sum);
  }
  return out;
}

void EpochSwitching::play(std::span<const double> rewards, ReplayStream& random,
                          std::span<double> actions) const {
  const auto margin = margins(rewards);
  bool first[kDecisions];
  bool second[kDecisions];
  double noise = noise_.sample(random);
  for (std::size_t k = 0; k < kDecisions; ++k) {
    if (k > 0 && fault_ != EpochFault::kNoiseReused) noise = noise_.sample(random);  // (1)
    first[k] = noise < margin[k];                                                    // (2)
    if (fault_ == EpochFault::kDoubleRelease) noise = noise_.sample(random);
    second[k] = noise < margin[k];
  }
  write_actions(first, second, actions);
}

TranscriptDistribution EpochSwitching::distribution(std::span<const double> rewards) const {
  const auto margin = margins(rewards);
  constexpr std::uint64_t kPatterns = std::uint64_t{1} << kDecisions;
  TranscriptDistribution out;
  if (fault_ == EpochFault::kNoiseReused) {
    auto points = margin;
    std::sort(points.begin(), points.end());
    for (std::size_t i = 0; i <= points.size(); ++i) {
      const double low = i == 0 ? 0.0 : noise_.cdf(points[i - 1]);
      const double high = i == points.size() ? 1.0 : noise_.cdf(points[i]);
      if (high <= low) continue;
      std::uint64_t switched = 0;
      for (std::size_t k = 0; k < kDecisions; ++k) {
        if (i < points.size() && margin[k] >= points[i]) switched |= std::uint64_t{1} << k;
      }
      out[key_of(switched, switched)] += high - low;  // (4)
    }
    return out;
  }
  std::vector<double> probability(kPatterns, 1.0);
  for (std::uint64_t pattern = 0; pattern < kPatterns; ++pattern) {
    for (std::size_t k = 0; k < kDecisions; ++k) {
      probability[pattern] *=
          (pattern >> k & 1) != 0 ? noise_.cdf(margin[k]) : noise_.ccdf(margin[k]);  // (3)
    }
  }
  for (std::uint64_t first = 0; first < kPatterns; ++first) {
    if (fault_ != EpochFault::kDoubleRelease) {
      out[key_of(first, first)] += probability[first];
      continue;
    }
    for (std::uint64_t second = 0; second < kPatterns; ++second) {
      out[key_of(first, second)] += probability[first] * probability[second];
    }
  }
  return out;
}

}  // namespace assay::faulty
