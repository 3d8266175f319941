// Releases of pairs whose actions have an exact law.
#pragma once

#include <span>

#include "assay/auditors/best_arm/best_arm_pair.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

struct KnownPair {
  std::unique_ptr<PairRelease> release;
  ExactLoss exact;

  // Of the worse orientation: the upper end of what encloses it, or the lower.
  double delta(double epsilon, bool high = true) const {
    const auto forward = exact.delta(Epsilon{epsilon}, Orientation::kBaseToNeighbour);
    const auto backward = exact.delta(Epsilon{epsilon}, Orientation::kNeighbourToBase);
    return high ? std::max(forward.upper.value.value, backward.upper.value.value)
                : std::max(forward.lower.value.value, backward.lower.value.value);
  }
};

// The hard pair of that index, of a best-arm policy; `first` as for hard_reward_pairs.
template <class P>
KnownPair known_best_arm_pair(const P& policy, std::size_t which,
                              std::span<const double> first = {}) {
  const auto subject = phased_subject(policy, policy.arms(), policy.budget(), TableIndex::kPull);
  const auto pair = hard_reward_pairs(subject, which + 1, first).back();
  return {best_arm_release(subject, pair, HUGE_VAL).value(),
          ExactLoss::create(transcript_distributions(subject, pair).value().distributions).value()};
}

}  // namespace assay
