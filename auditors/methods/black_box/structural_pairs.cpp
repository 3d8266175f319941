// Pairs with which a search begins, by the content of an input's rows (input_kind.hpp).
#include <algorithm>
#include <span>
#include <utility>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/methods/black_box/internal/pair_list.hpp"

namespace assay {
namespace {

using detail::Collected;
using detail::Row;

// Numbers from 0 to 1 of a base, row by row. Near decision boundaries: arms that take turns (K
// ones, K zeros) are tied, so are columns that take turns; and in blocks of L rows, every other block has L/2 ones
// and the rest one fewer, so that arms pulled in batches of L are 8 against 7.
enum class Base { kZeros, kOnes, kAlternating, kStep, kTied, kTurns, kNear4, kNear8, kNear16 };

double base_value(Base base, const InputShape& shape, std::int64_t row, std::int64_t column) {
  const auto near = [row](std::int64_t block) {
    return row % block < block / 2 - row / block % 2 ? 1.0 : 0.0;
  };
  switch (base) {
    case Base::kZeros:
      return 0.0;
    case Base::kOnes:
      return 1.0;
    case Base::kAlternating:
      return row % 2 == 0 ? 0.0 : 1.0;
    case Base::kStep:
      return 2 * row < shape.rows() ? 1.0 : 0.0;
    case Base::kTied:
      return row / shape.arms % 2 == 0 ? 1.0 : 0.0;
    case Base::kTurns:
      return row % shape.arms == column ? 1.0 : 0.0;
    case Base::kNear4:
      return near(4);
    case Base::kNear8:
      return near(8);
    case Base::kNear16:
      return near(16);
  }
  return 0.0;
}

// Calls make(row, kind) for all rows and kinds, in the order of the sum of their places, so that the first of each
// come early.
template <class Kind, class Make>
std::vector<InputPair> by_places(const InputShape& shape, std::span<const Kind> kinds,
                                 std::size_t most, const Make& make) {
  const auto rows = detail::change_rows(shape);
  Collected pairs(most);
  for (std::size_t sum = 0; sum + 1 < rows.size() + kinds.size(); ++sum) {
    for (std::size_t r = 0; r <= std::min(sum, rows.size() - 1) && !pairs.full(); ++r) {
      if (sum - r < kinds.size()) pairs.add(make(rows[r], kinds[sum - r]));
    }
  }
  return pairs.take();
}

// The part of the changed row that turns: every number, that of the first column alone, or the row becomes the
// first column against all others, whatever the base has there.
enum class Turn { kRow, kFirst, kOpposed };

struct StreamKind {
  Base base;
  Turn turn;
};

InputPair stream_pair(const InputShape& shape, StreamKind kind, std::int64_t row) {
  InputTable base_input{shape.rows(), shape.columns(), {}};
  for (std::int64_t r = 0; r < base_input.rows; ++r) {
    for (std::int64_t c = 0; c < base_input.columns; ++c) {
      const bool opposed = kind.turn == Turn::kOpposed && r == row;
      base_input.values.push_back(opposed ? (c == 0 ? 0.0 : 1.0)
                                          : base_value(kind.base, shape, r, c));
    }
  }
  Edit edit = detail::row_of(base_input, row);
  const std::size_t changed = kind.turn == Turn::kFirst ? 1 : edit.values.size();
  for (std::size_t c = 0; c < changed; ++c) edit.values[c] = 1.0 - edit.values[c];
  return InputPair::of(std::move(base_input), std::move(edit));
}

// Expert 1 against all others: the base is its losses, the others have none (unless they take turns),
// and in the changed row it gets worse while all others get better. That moves every comparison of two
// sums in the same direction.
InputPair opposed_pair(const InputShape& shape, Base base, std::int64_t row) {
  InputPair pair = stream_pair(shape, {base, Turn::kOpposed}, row);
  if (base == Base::kTurns) return pair;
  InputTable base_input = pair.base_input();
  for (std::int64_t r = 0; r < base_input.rows; ++r) {
    if (r == row) continue;
    const auto values = base_input.row(r);
    std::fill(values.begin() + 1, values.end(), 0.0);
  }
  return InputPair::of(std::move(base_input), pair.edit());
}

// A stream of tournaments. Arm i beats every later one, or every earlier one, or one and the other in
// turn, round by round or four rounds each; or each arm beats the next half of all in a circle, so that all win
// as often (an odd K), until the changed row breaks the tie.
enum class Duels { kFalling, kRising, kAlternating, kBlocks, kStep, kTied };
// The duels that change in the row: all, those of arm 0, or that of arms 0 and 1. With two arms all are the same.
enum class Turned { kAll, kArm, kDuel };

bool beats(Duels duels, const InputShape& shape, std::int64_t row, std::int64_t i, std::int64_t j) {
  const bool falling = i < j;
  switch (duels) {
    case Duels::kFalling:
      return falling;
    case Duels::kRising:
      return !falling;
    case Duels::kAlternating:
      return falling == (row % 2 == 0);
    case Duels::kBlocks:
      return falling == (row / 4 % 2 == 0);
    case Duels::kStep:
      return falling == (2 * row < shape.horizon);
    case Duels::kTied: {
      const std::int64_t ahead = (j - i + shape.arms) % shape.arms;
      return 2 * ahead == shape.arms ? falling : 2 * ahead < shape.arms;
    }
  }
  return falling;
}

struct DuelKind {
  Duels duels;
  Turned turned;
};

InputPair duel_pair(const InputShape& shape, DuelKind kind, std::int64_t row) {
  const auto [duels, turned] = kind;
  InputTable base_input{shape.rows(), shape.columns(), {}};
  auto& base_values = base_input.values;
  base_values.reserve(static_cast<std::size_t>(shape.rows() * shape.columns()));
  for (std::int64_t r = 0; r < shape.rows(); ++r) {
    const Duels here = duels == Duels::kTied && r == row ? Duels::kFalling : duels;
    for (std::int64_t i = 0; i < shape.arms; ++i) {
      for (std::int64_t j = 0; j < shape.arms; ++j) {
        base_values.push_back(i != j && beats(here, shape, r, i, j) ? 1.0 : 0.0);
      }
    }
  }
  Edit edit = detail::row_of(base_input, row);
  for (std::int64_t i = 0; i < shape.arms; ++i) {
    for (std::int64_t j = 0; j < shape.arms; ++j) {
      const bool turns =
          i != j && (turned == Turned::kAll || (turned == Turned::kArm && std::min(i, j) == 0) ||
                     (turned == Turned::kDuel && i + j == 1));
      if (!turns) continue;
      double& outcome = edit.values[static_cast<std::size_t>(i * shape.arms + j)];
      outcome = 1.0 - outcome;
    }
  }
  return InputPair::of(std::move(base_input), std::move(edit));
}

std::vector<InputPair> duel_pairs(const InputShape& shape, std::size_t most) {
  constexpr DuelKind kTwoArms[] = {{Duels::kAlternating, Turned::kAll},
                                   {Duels::kFalling, Turned::kAll},
                                   {Duels::kBlocks, Turned::kAll},
                                   {Duels::kStep, Turned::kAll},
                                   {Duels::kRising, Turned::kAll}};
  constexpr DuelKind kMoreArms[] = {
      {Duels::kTied, Turned::kAll},         {Duels::kAlternating, Turned::kAll},
      {Duels::kFalling, Turned::kArm},      {Duels::kTied, Turned::kArm},
      {Duels::kFalling, Turned::kAll},      {Duels::kStep, Turned::kAll},
      {Duels::kAlternating, Turned::kDuel}, {Duels::kRising, Turned::kArm},
      {Duels::kBlocks, Turned::kAll}};
  const auto kinds =
      shape.arms == 2 ? std::span<const DuelKind>(kTwoArms) : std::span<const DuelKind>(kMoreArms);
  return by_places(shape, kinds, most,
                   [&](std::int64_t row, DuelKind kind) { return duel_pair(shape, kind, row); });
}

std::vector<InputPair> expert_pairs(const InputShape& shape, std::size_t most) {
  constexpr StreamKind kKinds[] = {
      {Base::kZeros, Turn::kOpposed},      {Base::kTurns, Turn::kOpposed},
      {Base::kOnes, Turn::kOpposed},       {Base::kZeros, Turn::kRow},
      {Base::kStep, Turn::kOpposed},       {Base::kZeros, Turn::kFirst},
      {Base::kAlternating, Turn::kOpposed}};
  return by_places(shape, std::span<const StreamKind>(kKinds), most,
                   [&](std::int64_t row, StreamKind kind) {
                     return kind.turn == Turn::kOpposed ? opposed_pair(shape, kind.base, row)
                                                        : stream_pair(shape, kind, row);
                   });
}

std::vector<InputPair> stream_pairs(const InputShape& shape, std::size_t most) {
  constexpr StreamKind kOneColumn[] = {
      {Base::kTied, Turn::kRow},   {Base::kZeros, Turn::kRow},      {Base::kOnes, Turn::kRow},
      {Base::kNear16, Turn::kRow}, {Base::kStep, Turn::kRow},       {Base::kNear8, Turn::kRow},
      {Base::kNear4, Turn::kRow},  {Base::kAlternating, Turn::kRow}};
  constexpr StreamKind kColumns[] = {{Base::kTied, Turn::kRow},   {Base::kAlternating, Turn::kRow},
                                     {Base::kZeros, Turn::kRow},  {Base::kTurns, Turn::kOpposed},
                                     {Base::kOnes, Turn::kRow},   {Base::kZeros, Turn::kFirst},
                                     {Base::kNear16, Turn::kRow}, {Base::kStep, Turn::kRow},
                                     {Base::kTied, Turn::kFirst}};
  const auto kinds = shape.columns() == 1 ? std::span<const StreamKind>(kOneColumn)
                                          : std::span<const StreamKind>(kColumns);
  return by_places(shape, kinds, most, [&](std::int64_t row, StreamKind kind) {
    return stream_pair(shape, kind, row);
  });
}

// The part that changes in a round in which every arm has the same context and pays 1: the context becomes its
// opposite, the one entry that is not 0 becomes its opposite, the rewards become 0, or become 0 while the other rounds
// pay in turn, so that both contexts have earned about as much; or all numbers of a row change.
enum class ContextTurn { kContext, kEntry, kRewards, kTied, kAll };

// All other rounds pay nothing (unless they take turns) and set the first arm against the rest, by opposite contexts: a greedy arm
// there shows the sign of the estimate from the changed round. Rows that are alike in all columns show nothing.
InputPair context_pair(const InputShape& shape, ContextTurn told, std::int64_t row) {
  const auto fill = [&](std::span<double> numbers, double reward, double first, double others) {
    for (std::int64_t c = 0; c < shape.columns(); ++c) {
      const std::int64_t entry = c - shape.arms;
      double& number = numbers[static_cast<std::size_t>(c)];
      if (entry < 0) {
        number = reward;
      } else {
        const bool used = told != ContextTurn::kEntry || entry % shape.dimension == 0;
        number = !used ? 0.0 : entry < shape.dimension ? first : others;
      }
    }
  };
  InputTable base_input = InputTable::zeros(shape.rows(), shape.columns());
  for (std::int64_t r = 0; r < shape.rows(); ++r) {
    const double pays = told == ContextTurn::kTied ? base_value(Base::kTied, shape, r, 0) : 0.0;
    const double first = told == ContextTurn::kTied && r / shape.arms / 2 % 2 == 1 ? -1.0 : 1.0;
    fill(base_input.row(r), pays, first, -first);
  }
  fill(base_input.row(row), 1.0, 1.0, 1.0);
  Edit edit = detail::row_of(base_input, row);
  const bool unpaid = told == ContextTurn::kRewards || told == ContextTurn::kTied;
  const double turned = unpaid ? 1.0 : -1.0;
  fill(edit.values, unpaid ? 0.0 : 1.0, turned, turned);
  return InputPair::of(std::move(base_input), std::move(edit));
}

std::vector<InputPair> contextual_pairs(const InputShape& shape, std::size_t most) {
  constexpr ContextTurn kKinds[] = {ContextTurn::kContext, ContextTurn::kRewards,
                                    ContextTurn::kEntry, ContextTurn::kTied, ContextTurn::kAll};
  return by_places(
      shape, std::span<const ContextTurn>(kKinds), most, [&](std::int64_t row, ContextTurn told) {
        return told == ContextTurn::kAll ? stream_pair(shape, {Base::kAlternating, Turn::kRow}, row)
                                         : context_pair(shape, told, row);
      });
}

// ---- mechanisms

// Rows around which a change is tried, by the distance of the other values from the first one.
std::vector<Row> mechanism_bases(const InputShape& shape) {
  const auto count = static_cast<std::size_t>(shape.inputs);
  std::vector<Row> bases;
  const auto add = [&](double own, double rest) {
    Row row(count, rest);
    row[0] = own;
    bases.push_back(detail::clamped(shape, std::move(row)));
  };
  if (shape.domain && shape.domain->bounded()) {
    const auto [low, high, _] = *shape.domain;
    const double middle = 0.5 * (low + high);
    add(low, low);
    add(high, high);
    add(low, high);
    add(high, low);
    add(middle, middle);
    if (count > 1) {
      for (std::size_t i = 0; i < count / 2; ++i) bases[4][i] = low;
      for (std::size_t i = count / 2; i < count; ++i) bases[4][i] = high;
    }
  }
  for (const double spread : {0.0, 1.0, 10.0}) add(0.0, -spread);
  if (shape.neighbours && shape.neighbours->kind != NeighbourKind::kOne) {
    for (const double spread : {2.0, 4.0, 8.0}) add(0.0, spread);
  }
  return bases;
}

// Changes of one value of a bounded domain that rows of equal values do not show: among values that all differ, where
// entries interact; from a number that no noise and no limit produces; by one at the ends of integers; and across the
// limits of machine integers.
void add_value_changes(const InputShape& shape, Collected& pairs) {
  constexpr double kUncommon[] = {0.3819660112501051, 0.6180339887498949};  // of the domain
  const auto [low, high] = detail::ends_of(shape);
  const bool whole = shape.domain->integers;
  const auto change = [&](Row base, std::size_t at, double from, double to) {
    base[at] = detail::clamped(shape, from);
    Row row = base;
    row[at] = detail::clamped(shape, to);
    pairs.add({std::move(base), std::move(row)});
  };
  const auto count = static_cast<std::size_t>(shape.inputs);
  for (const std::size_t at : {count - 1, std::size_t{0}}) {
    const Row spread = detail::spread_row(shape, at);
    change(spread, at, low, high);
    change(spread, at, low + kUncommon[0] * (high - low), low + kUncommon[1] * (high - low));
  }
  if (whole) {
    change(Row(count, low), 0, low, low + 1.0);
    change(Row(count, high), 0, high, high - 1.0);
  }
  for (const double limit : {0x1p31, 0x1p32, 0x1p53, 0x1p63}) {
    if (high >= limit && low < limit) change(Row(count, low), 0, limit - 1.0, limit);
  }
}

std::vector<InputPair> mechanism_pairs(const InputShape& shape, std::size_t most) {
  Collected pairs(most);
  for (const Row& base : mechanism_bases(shape)) {
    detail::add_changes_of_row(shape, base, 0, pairs);
    if (shape.adds_or_removes()) detail::add_changes_of_row(shape, base, base.size() - 1, pairs);
  }
  const bool one = shape.neighbours.value_or(Neighbours{}).kind == NeighbourKind::kOne;
  if (one && shape.domain && shape.domain->bounded()) add_value_changes(shape, pairs);
  return pairs.take();
}

// Maps numbers from 0 to 1 to the domain, and contexts from -1 to 1 too.
std::vector<InputPair> in_domain(const InputShape& shape, const std::vector<InputPair>& pairs) {
  if (!shape.domain->bounded()) return pairs;  // 0 and 1 are integers
  const auto scale = [&](std::span<double> values, std::int64_t columns) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool contextual = shape.traits().has_contexts();
      if (contextual && static_cast<std::int64_t>(i) % columns < shape.arms) continue;
      const double part = contextual ? 0.5 * (values[i] + 1.0) : values[i];
      values[i] = shape.domain->at(part);
    }
  };
  Collected scaled(pairs.size());
  for (const auto& pair : pairs) {
    InputTable base = pair.base_input();
    scale(base.values, base.columns);
    Edit edit = pair.edit();
    scale(edit.values, base.columns);
    scaled.add(InputPair::of(std::move(base), std::move(edit)));
  }
  return scaled.take();
}

}  // namespace

std::vector<InputPair> structural_pairs(const InputShape& shape, std::size_t most) {
  const InputKindTraits& kind = shape.traits();
  std::vector<InputPair> pairs;
  switch (kind.row) {
    case RowContent::kValues:
      return detail::neighbours_of(shape, mechanism_pairs(shape, most));
    case RowContent::kDuels:
      pairs = duel_pairs(shape, most);
      break;
    case RowContent::kContexts:
      pairs = contextual_pairs(shape, most);
      break;
    case RowContent::kReward:
    case RowContent::kArms:
      pairs = kind.learns_row ? expert_pairs(shape, most) : stream_pairs(shape, most);
      break;
  }
  return shape.domain ? in_domain(shape, pairs) : pairs;
}

}  // namespace assay
