// The 64-bit words of one round of Thompson sampling, read off a stream as the policy's header
// documents their places, and the samples they stand for: an independent second reading.
#pragma once

#include "assay/mechanisms/noise/gaussian_word.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

// Before the round is chosen: `random` at the first block of the round.
inline std::vector<std::uint64_t> words_of_round(const ReplayStream& random, std::size_t arms) {
  const std::size_t coarse_blocks = (arms + 15) / 16;
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < arms; ++i) {
    const auto coarse = random.block_ahead(i / 16);
    const auto fine = random.block_ahead(coarse_blocks + i / 4);
    const std::uint64_t top = (coarse[i % 16 / 4] >> (16 * (i % 4))) & 0xFFFFu;
    words.push_back((top << 48) | (fine[i % 4] >> 16));
  }
  return words;
}

// The winner of the round when every sample is drawn in full; ties go to the lowest index.
inline int choose_in_full(const ModifiedThompsonSampling& policy, const ReplayStream& random) {
  if (policy.is_forced()) return policy.forced_arm();
  const auto words = words_of_round(random, policy.means().size());
  std::size_t best = 0;
  double best_theta = 0.0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double theta = policy.means()[i] + policy.scales()[i] * gaussian_from_word(words[i]);
    if (i == 0 || theta > best_theta) {
      best = i;
      best_theta = theta;
    }
  }
  return static_cast<int>(best);
}

}  // namespace assay
