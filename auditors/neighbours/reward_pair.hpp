// Neighbouring reward streams: equal but for the reward of one round ("replace one reward").
#pragma once

#include <cstdint>
#include <vector>

namespace assay {

// Rewards of rounds 1..T, whichever arm is played; each in [0, 1].
using RewardSequence = std::vector<double>;

struct RewardPair {
  RewardSequence stream;      // with the old value
  std::int64_t position = 1;  // round of the changed reward, in 1..T
  double new_value = 1.0;

  double old_value() const { return stream[static_cast<std::size_t>(position - 1)]; }
  friend bool operator==(const RewardPair&, const RewardPair&) = default;
};

}  // namespace assay
