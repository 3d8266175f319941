// Neighbouring reward streams: equal but for the reward of one round ("replace one reward").
//
// A search tries thousands of pairs of streams that differ little: a pair is a base that many share,
// blocks of it set to one value, and the changed round. A copy costs its blocks and no stream.
// Threads: values; the base is never written. Cost: a reward takes a look at every block.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace assay {

// Rewards of rounds 1..T, whichever arm is played; each in [0, 1].
using RewardSequence = std::vector<double>;

// Rounds [first, end), counted from 0, at one value.
struct RewardBlock {
  std::int64_t first = 0;
  std::int64_t end = 0;
  double value = 0.0;
};

class RewardPair {
 public:
  RewardPair() : RewardPair(RewardSequence(1), 1, 1.0) {}
  RewardPair(RewardSequence stream, std::int64_t position, double new_value)
      : base_(std::make_shared<const RewardSequence>(std::move(stream))) {
    change_at(position, (*base_)[static_cast<std::size_t>(position - 1)], new_value);
  }
  RewardPair(std::shared_ptr<const RewardSequence> base, std::int64_t position, double old_value,
             double new_value)
      : base_(std::move(base)) {
    change_at(position, old_value, new_value);
  }

  std::int64_t horizon() const { return static_cast<std::int64_t>(base_->size()); }
  std::int64_t position() const { return position_; }  // round of the changed reward, in 1..T
  double old_value() const { return old_value_; }
  double new_value() const { return new_value_; }
  // Of a round counted from 0, with the old value and with the new one.
  double old_reward(std::int64_t round) const {
    return round + 1 == position_ ? old_value_ : unchanged(round);
  }
  double new_reward(std::int64_t round) const {
    return round + 1 == position_ ? new_value_ : unchanged(round);
  }
  RewardSequence stream() const {  // with the old value
    RewardSequence out = *base_;
    for (const RewardBlock& block : blocks_) {
      std::fill(out.begin() + block.first, out.begin() + block.end, block.value);
    }
    out[static_cast<std::size_t>(position_ - 1)] = old_value_;
    return out;
  }

  // Another changed round; the one before keeps what its block or the base says.
  void change_at(std::int64_t position, double old_value, double new_value) {
    position_ = position;
    old_value_ = old_value;
    new_value_ = new_value;
  }
  // The changed round keeps its values.
  void set_block(const RewardBlock& block) { blocks_.push_back(block); }
  // A stream of its own once looking at the blocks would cost more than that.
  void flatten(std::size_t most_blocks = 0) {
    if (blocks_.size() <= most_blocks) return;
    base_ = std::make_shared<const RewardSequence>(stream());
    blocks_.clear();
  }
  const std::shared_ptr<const RewardSequence>& base() const { return base_; }
  const std::vector<RewardBlock>& blocks() const { return blocks_; }

  friend bool operator==(const RewardPair& a, const RewardPair& b) {
    return a.position_ == b.position_ && a.new_value_ == b.new_value_ && a.stream() == b.stream();
  }

 private:
  double unchanged(std::int64_t round) const {
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
      if (round >= block->first && round < block->end) return block->value;
    }
    return (*base_)[static_cast<std::size_t>(round)];
  }

  std::shared_ptr<const RewardSequence> base_;
  std::vector<RewardBlock> blocks_;  // later ones win
  std::int64_t position_ = 1;
  double old_value_ = 0.0;
  double new_value_ = 1.0;
};

}  // namespace assay
