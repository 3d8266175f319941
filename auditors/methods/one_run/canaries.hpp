// Canaries are entries of an input that each take one of two values, by a fair coin.
//
// An entry is the part of an input that the neighbouring relation replaces: a row of a stream (a reward, the
// rewards or losses of a round, a round's duels) or one value of a mechanism's input. Entries that are not
// canaries keep their value. A contextual round is not an entry in this sense, because the adversary does not see
// its own action.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/external/target.hpp"

namespace assay {

using Coins = std::vector<std::uint8_t>;  // 0 or 1 for each canary

class Canaries {
 public:
  // Canaries at the first `most` entries in which the inputs differ, or at all such entries if `most` is 0. Errors: a
  // contextual target; inputs that do not fit the shape, are equal, or differ in fewer than `most` entries; a canary
  // whose two values are not neighbours by shape.neighbours.
  static Result<Canaries> between(const InputShape& shape, InputTable zero, InputTable one,
                                  std::int64_t most);
  // Canaries whose two values are the extremes. Rewards, losses and values are 0 or 1, alternating over the columns
  // of a row; in a round of duels, the first or the second arm wins all of them.
  static Result<Canaries> structural(const InputShape& shape, std::int64_t most);

  std::size_t size() const { return entries_.size(); }
  std::int64_t entry(std::size_t canary) const { return entries_[canary]; }  // from 0
  const InputTable& zero() const { return zero_; }
  const InputTable& one() const { return one_; }

  InputTable input(const Coins& coins) const;
  InputPair farthest() const;  // zero(), and the canary with the largest move at its other value

 private:
  Canaries(InputTable zero, InputTable one, std::int64_t width)
      : zero_(std::move(zero)), one_(std::move(one)), width_(width) {}

  InputTable zero_, one_;
  std::int64_t width_;  // values of an entry
  std::vector<std::int64_t> entries_;
};

// Draws fair and independent coins, which depend on the identity of the stream alone.
Coins toss(std::size_t count, const StreamId& id);

}  // namespace assay
