#include "assay/policies/experts/random_prefix.hpp"

#include <algorithm>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/argmax.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/policies/experts/internal/noise_scale.hpp"

namespace assay {

Result<RandomPrefix> RandomPrefix::create(const Config& config) {
  ASSAY_TRY(validate(config));
  const auto noise = ASSAY_TRY(Gumbel::create(0.0, detail::scale_for(2.0, config.epsilon)));
  return RandomPrefix(config, noise);
}

RandomPrefix::RandomPrefix(const Config& config, const Gumbel& noise)
    : PolicyOf(config), noise_(noise), sums_(static_cast<std::size_t>(config.actions), 0.0) {}

int RandomPrefix::choose(ReplayStream& random) {
  ASSAY_CHECK(round_ < config_.horizon, "all rounds of the horizon are done");
  if (!starts_block()) return action_;
  // In block 1 all sums are 0, so (2) is uniform.
  action_ = static_cast<int>(detail::argmax(sums_.size(), [&](std::size_t j) {
    return noise_.sample(random) - sums_[j];  // (2)
  }));
  const std::int64_t length = round_ + 1;  // of the block that begins
  prefix_ = length / 2 + 1 +
            static_cast<std::int64_t>(
                uniform_below(random, static_cast<std::uint64_t>(length - length / 2)));  // (1)
  std::fill(sums_.begin(), sums_.end(), 0.0);
  return action_;
}

void RandomPrefix::observe(std::span<const double> losses, ReplayStream&) {
  ASSAY_CHECK(action_ >= 0 && round_ < config_.horizon, "observe follows an action, T times");
  ASSAY_CHECK(losses.size() == sums_.size(), "one loss per expert");
  if (block_rounds_done() < prefix_) {
    for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] += losses[j];
  }
  ++round_;
}

std::int64_t RandomPrefix::rounds_left() const {
  const auto length =
      static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(round_ + 1)));
  const std::int64_t done = block_rounds_done();
  // A block has two parts: the rounds that the prefix still reads, and the rest.
  const std::int64_t block = done < prefix_ ? prefix_ - done : length - done;
  return std::min(block, config_.horizon - round_);
}

void RandomPrefix::observe_rounds(const LossCounts& block, ReplayStream&) {
  ASSAY_CHECK(action_ >= 0, "losses follow an action");
  ASSAY_CHECK(block.rounds >= 1 && block.rounds <= rounds_left(), "rounds of one block");
  if (block_rounds_done() < prefix_) {
    for (std::size_t j = 0; j < sums_.size(); ++j) sums_[j] += block.total(j);
  }
  round_ += block.rounds;
}

Guarantee RandomPrefix::guarantee() const {
  return {PureDp{Epsilon{config_.horizon == 1 ? 0.0 : config_.epsilon}},
          Relation::kReplaceOneLossVector, View::kActions,
          "the exponential mechanism on a prefix chosen without the data"};
}

}  // namespace assay
