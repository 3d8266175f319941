#include "assay/policies/faulty/flagged_experts.hpp"

#include <algorithm>
#include <array>

namespace assay::faulty {
namespace {

constexpr std::size_t kDecisions = FlaggedExperts::kHorizon / FlaggedExperts::kEpoch - 1;
constexpr double kGood = 0.5 * static_cast<double>(FlaggedExperts::kEpoch);

using Sums = std::array<double, 2>;

Sums epoch_losses(std::span<const double> losses, std::size_t epoch) {
  Sums out{0.0, 0.0};
  const std::size_t first = epoch * FlaggedExperts::kEpoch;
  for (std::size_t t = first; t < first + FlaggedExperts::kEpoch; ++t) {
    out[0] += losses[2 * t];
    out[1] += losses[2 * t + 1];
  }
  return out;
}

void write_epoch(std::span<double> actions, std::size_t epoch, bool second) {
  const auto from = actions.begin() + static_cast<std::ptrdiff_t>(epoch * FlaggedExperts::kEpoch);
  std::fill(from, from + FlaggedExperts::kEpoch, second ? 1.0 : 0.0);
}

}  // namespace

FlaggedExperts::FlaggedExperts(bool faulty)
    : faulty_(faulty), noise_(Laplace::create(0.0, 2.0 / kEpsilon).value()) {}

void FlaggedExperts::play(std::span<const double> losses, ReplayStream& random,
                          std::span<double> actions) const {
  write_epoch(actions, 0, false);
  for (std::size_t k = 0; k < kDecisions; ++k) {
    const Sums sums = epoch_losses(losses, k);
    const bool first = sums[0] + noise_.sample(random) < kGood;  // (1)
    const bool second = sums[1] + noise_.sample(random) < kGood;
    const bool follow = first != second ? second : favourite(sums[0], sums[1]);  // (2)
    write_epoch(actions, k + 1, follow);
  }
}

TranscriptDistribution FlaggedExperts::distribution(std::span<const double> losses) const {
  std::array<double, kDecisions> second_follows;
  for (std::size_t k = 0; k < kDecisions; ++k) {
    const Sums sums = epoch_losses(losses, k);
    const double one = noise_.cdf(kGood - sums[0]);
    const double not_one = noise_.ccdf(kGood - sums[0]);
    const double two = noise_.cdf(kGood - sums[1]);
    const double not_two = noise_.ccdf(kGood - sums[1]);
    second_follows[k] = not_one * two;
    if (favourite(sums[0], sums[1])) second_follows[k] += one * two + not_one * not_two;  // (3)
  }
  TranscriptDistribution out;
  std::array<double, kHorizon> actions;
  write_epoch(actions, 0, false);
  for (std::uint64_t pattern = 0; pattern < std::uint64_t{1} << kDecisions; ++pattern) {
    double probability = 1.0;
    for (std::size_t k = 0; k < kDecisions; ++k) {
      const bool second = (pattern >> k & 1) != 0;
      probability *= second ? second_follows[k] : 1.0 - second_follows[k];
      write_epoch(actions, k + 1, second);
    }
    out[transcript_key(actions)] += probability;
  }
  return out;
}

}  // namespace assay::faulty
