#include "assay/auditors/methods/one_run/canaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {
namespace {

// The value of one column of a row under a coin.
double extreme(const InputShape& shape, std::int64_t column, bool coin) {
  if (!shape.traits().has_duels()) {
    const bool high = (column % 2 == 0) == coin;
    if (shape.domain && shape.domain->bounded())
      return high ? shape.domain->high : shape.domain->low;
    return high ? 1.0 : 0.0;
  }
  const std::int64_t i = column / shape.arms, j = column % shape.arms;
  return (i < j && !coin) || (i > j && coin) ? 1.0 : 0.0;
}

}  // namespace

Result<Canaries> Canaries::between(const InputShape& shape, InputTable zero, InputTable one,
                                   std::int64_t most) {
  if (shape.traits().has_contexts()) {
    const auto has_none = [](const InputKindTraits& kind) { return !kind.has_contexts(); };
    return fail(
        ErrorCode::kInvalidArgument,
        "the one-run method needs inputs whose entries can be flipped one by one: kind must "
        "be " +
            kinds_text(has_none) + ", not " + detail::value_text(shape.kind));
  }
  for (const auto* input : {&zero, &one}) {
    ASSAY_TRY(check_input(shape, *input));
  }
  const std::int64_t width = shape.traits().has_rounds() ? zero.columns : 1;
  Canaries canaries(std::move(zero), std::move(one), width);
  const auto& a = canaries.zero_.values;
  const auto& b = canaries.one_.values;
  const std::int64_t entries = static_cast<std::int64_t>(a.size()) / width;
  for (std::int64_t entry = 0; entry < entries; ++entry) {
    const auto first = a.begin() + entry * width;
    if (!std::equal(first, first + width, b.begin() + entry * width)) {
      canaries.entries_.push_back(entry);
    }
  }
  const auto differing = static_cast<std::int64_t>(canaries.entries_.size());
  if (differing == 0) return fail(ErrorCode::kInvalidArgument, "the two inputs are equal");
  if (most < 0 || most > differing) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("canaries must be 1 to {}, the entries that can be flipped, not {}",
                            differing, most));
  }
  if (most > 0) canaries.entries_.resize(static_cast<std::size_t>(most));
  ASSAY_TRY(check_neighbours(shape, canaries.farthest()));
  return canaries;
}

InputPair Canaries::farthest() const {
  const auto move_of = [&](std::int64_t entry) {
    double move = 0.0;
    for (auto at = static_cast<std::size_t>(entry * width_);
         at < static_cast<std::size_t>((entry + 1) * width_); ++at) {
      move = std::max(move, std::fabs(one_.values[at] - zero_.values[at]));
    }
    return move;
  };
  const std::int64_t entry =
      *std::max_element(entries_.begin(), entries_.end(),
                        [&](std::int64_t a, std::int64_t b) { return move_of(a) < move_of(b); });
  const std::int64_t row = entry * width_ / zero_.columns;
  const auto base_row = zero_.row(row);
  std::vector<double> neighbour_row(base_row.begin(), base_row.end());
  const std::int64_t first = entry * width_ - row * zero_.columns;
  std::copy_n(one_.values.begin() + entry * width_, width_, neighbour_row.begin() + first);
  return InputPair::of(zero_, {row, std::move(neighbour_row)});
}

Result<Canaries> Canaries::structural(const InputShape& shape, std::int64_t most) {
  InputTable zero{shape.rows(), shape.columns(), {}};
  InputTable one = zero;
  for (std::int64_t row = 0; row < zero.rows; ++row) {
    for (std::int64_t column = 0; column < zero.columns; ++column) {
      // Each value of a mechanism is an entry of its own.
      const std::int64_t of_entry = shape.traits().has_rounds() ? column : 0;
      zero.values.push_back(extreme(shape, of_entry, false));
      one.values.push_back(extreme(shape, of_entry, true));
    }
  }
  // Contexts have no extremes, and `between` refuses them.
  return between(shape, std::move(zero), std::move(one), most);
}

InputTable Canaries::input(const Coins& coins) const {
  InputTable out = zero_;
  for (std::size_t j = 0; j < entries_.size(); ++j) {
    if (coins[j] == 0) continue;
    const auto at = entries_[j] * width_;
    std::copy_n(one_.values.begin() + at, width_, out.values.begin() + at);
  }
  return out;
}

Coins toss(std::size_t count, const StreamId& id) {
  ReplayStream words(id);
  Coins coins(count);
  std::uint64_t word = 0;
  for (std::size_t j = 0; j < count; ++j) {
    if (j % 64 == 0) word = words.next();
    coins[j] = static_cast<std::uint8_t>(word >> (j % 64) & 1);
  }
  return coins;
}

}  // namespace assay
