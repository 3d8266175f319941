// A stream of rewards as an environment, and streams with a structure that an adversary might choose.
#pragma once

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/inputs/reward_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

using RewardStream = std::vector<double>;

// Pays r_t in round t, whichever arm is played.
class RecordedRewards {
 public:
  static Result<RecordedRewards> create(RewardStream stream) {
    ASSAY_TRY(check_rewards(stream));
    return RecordedRewards(std::move(stream));
  }

  double feedback(std::int64_t round, int, ReplayStream&) const {
    ASSAY_CHECK(round >= 0 && round < static_cast<std::int64_t>(stream_.size()),
                "the stream has no reward for this round");
    return stream_[static_cast<std::size_t>(round)];
  }
  const RewardStream& stream() const { return stream_; }

 private:
  explicit RecordedRewards(RewardStream stream) : stream_(std::move(stream)) {}

  RewardStream stream_;
};

inline RewardStream constant_rewards(std::int64_t rounds, double value) {
  return RewardStream(static_cast<std::size_t>(rounds), value);
}

inline RewardStream alternating_rewards(std::int64_t rounds, double first, double second) {
  auto stream = constant_rewards(rounds, first);
  for (std::size_t t = 1; t < stream.size(); t += 2) stream[t] = second;
  return stream;
}

// `before` in rounds 1..change, `after` in the rest.
inline RewardStream step_rewards(std::int64_t rounds, std::int64_t change, double before,
                                 double after) {
  auto stream = constant_rewards(rounds, before);
  std::fill(stream.begin() + std::clamp<std::int64_t>(change, 0, rounds), stream.end(), after);
  return stream;
}

}  // namespace assay
