// Reward streams: r_1..r_T in [0, 1], the private input of a bandit's audit, and how they are read.
//
// The reward of round t is r_t whichever arm is played.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/environments/environment.hpp"

namespace assay {

using RewardStream = std::vector<double>;

// At least one reward, each in [0, 1]. The error names the round, counted from 1.
Status check_rewards(std::span<const double> rewards);

// Reads a stream from a text file.
//   column empty: one reward per line.
//   otherwise:    comma-separated values whose first line names the columns; that column is read.
// Lines that start with '#' are comments; "\r\n" ends a line as well; blank lines may only come
// last. A field may stand in double quotes, with "" for a quote. Every error names the file, the
// line and what is allowed there.
Result<RewardStream> read_rewards(const std::string& path, std::string_view column = {});

// A stream as an environment: pays r_t in round t, whichever arm is played.
class RecordedRewards {
 public:
  static Result<RecordedRewards> create(RewardStream stream);

  double feedback(std::int64_t round, int, ReplayStream&) const {
    ASSAY_CHECK(round >= 0 && round < static_cast<std::int64_t>(stream_.size()),
                "the stream has no reward for this round");
    return stream_[static_cast<std::size_t>(round)];
  }
  const RewardStream& stream() const { return stream_; }

 private:
  explicit RecordedRewards(RewardStream stream);

  RewardStream stream_;
};

// Streams with a structure that an adversary might choose; where a search for the worst pair
// starts.
RewardStream constant_rewards(std::int64_t rounds, double value);
RewardStream alternating_rewards(std::int64_t rounds, double first, double second);
// `before` in rounds 1..change, `after` in the rest.
RewardStream step_rewards(std::int64_t rounds, std::int64_t change, double before, double after);

}  // namespace assay
