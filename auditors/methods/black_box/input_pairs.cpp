#include "assay/auditors/methods/black_box/input_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace assay {
namespace {

// Numbers from 0 to 1 of a base, row by row. Near decision boundaries: tied are arms that take turns (K
// ones, K zeros), columns that take turns, and blocks of L rows of which every other has L/2 ones and the
// rest one fewer: arms pulled in batches of L are 8 against 7.
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

// Different pairs, as many as are wanted.
class Collected {
 public:
  explicit Collected(std::size_t most) : most_(most) {}
  bool full() const { return pairs_.size() >= most_; }
  void add(InputPair pair) {
    if (full() || pair.differing() == 0) return;
    if (std::find(pairs_.begin(), pairs_.end(), pair) == pairs_.end()) {
      pairs_.push_back(std::move(pair));
    }
  }
  std::vector<InputPair> take() { return std::move(pairs_); }
  std::vector<InputPair> but(const InputPair& one) {
    std::erase(pairs_, one);
    return take();
  }

 private:
  std::size_t most_;
  std::vector<InputPair> pairs_;
};

// Rows where a change is tried, from 0: the first ones, the first after a pull of each arm, the middle,
// and powers of two.
std::vector<std::int64_t> change_rows(const InputShape& shape) {
  std::vector<std::int64_t> out;
  const auto add = [&](std::int64_t row) {
    if (row < shape.rows() && std::find(out.begin(), out.end(), row) == out.end()) {
      out.push_back(row);
    }
  };
  for (const std::int64_t row : {std::int64_t{0}, std::int64_t{1}, shape.arms, shape.rows() / 2}) {
    add(row);
  }
  for (const std::int64_t row : {2, 3, 7}) add(row);
  for (std::int64_t row = 16; row <= shape.rows(); row *= 4) add(row - 1);
  return out;
}

// make(row, kind) for all rows and kinds, by the sum of their places: the first of each come early.
template <class Kind, class Make>
std::vector<InputPair> by_places(const InputShape& shape, std::span<const Kind> kinds,
                                 std::size_t most, const Make& make) {
  const auto rows = change_rows(shape);
  Collected pairs(most);
  for (std::size_t sum = 0; sum + 1 < rows.size() + kinds.size(); ++sum) {
    for (std::size_t r = 0; r <= std::min(sum, rows.size() - 1) && !pairs.full(); ++r) {
      if (sum - r < kinds.size()) pairs.add(make(rows[r], kinds[sum - r]));
    }
  }
  return pairs.take();
}

Edit row_of(const InputTable& table, std::int64_t row) {
  const auto values = table.row(row);
  return {row, {values.begin(), values.end()}};
}

// What turns of the changed row: every number, that of the first column alone, or the row is set to the
// first column against all others, whatever the base has there.
enum class Turn { kRow, kFirst, kOpposed };

struct StreamKind {
  Base base;
  Turn turn;
};

InputPair stream_pair(const InputShape& shape, StreamKind kind, std::int64_t row) {
  InputTable old_input{shape.rows(), shape.columns(), {}};
  for (std::int64_t r = 0; r < old_input.rows; ++r) {
    for (std::int64_t c = 0; c < old_input.columns; ++c) {
      const bool opposed = kind.turn == Turn::kOpposed && r == row;
      old_input.values.push_back(opposed ? (c == 0 ? 0.0 : 1.0)
                                         : base_value(kind.base, shape, r, c));
    }
  }
  Edit edit = row_of(old_input, row);
  const std::size_t changed = kind.turn == Turn::kFirst ? 1 : edit.values.size();
  for (std::size_t c = 0; c < changed; ++c) edit.values[c] = 1.0 - edit.values[c];
  return InputPair::of(std::move(old_input), std::move(edit));
}

// Expert 1 against all others: the base is its losses, the others have none (but where they take turns),
// and in the changed row it gets worse while all others get better. That moves every comparison of two
// sums the same way.
InputPair opposed_pair(const InputShape& shape, Base base, std::int64_t row) {
  InputPair pair = stream_pair(shape, {base, Turn::kOpposed}, row);
  if (base == Base::kTurns) return pair;
  InputTable old_input = pair.old_input();
  for (std::int64_t r = 0; r < old_input.rows; ++r) {
    if (r == row) continue;
    const auto values = old_input.row(r);
    std::fill(values.begin() + 1, values.end(), 0.0);
  }
  return InputPair::of(std::move(old_input), pair.edit());
}

// A stream of tournaments: arm i beats every later one, or every earlier one, or one and the other in
// turn, round by round or four rounds each; or each arm the next half of all in a circle, so that all win
// as often (an odd K), until the changed row breaks the tie.
enum class Duels { kFalling, kRising, kAlternating, kBlocks, kStep, kTied };
// What changes in the row: every duel, those of arm 0, that of arms 0 and 1. With two arms all the same.
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
  InputTable old_input{shape.rows(), shape.columns(), {}};
  auto& old_values = old_input.values;
  old_values.reserve(static_cast<std::size_t>(shape.rows() * shape.columns()));
  for (std::int64_t r = 0; r < shape.rows(); ++r) {
    const Duels here = duels == Duels::kTied && r == row ? Duels::kFalling : duels;
    for (std::int64_t i = 0; i < shape.arms; ++i) {
      for (std::int64_t j = 0; j < shape.arms; ++j) {
        old_values.push_back(i != j && beats(here, shape, r, i, j) ? 1.0 : 0.0);
      }
    }
  }
  Edit edit = row_of(old_input, row);
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
  return InputPair::of(std::move(old_input), std::move(edit));
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
  constexpr StreamKind kColumns[] = {
      {Base::kTied, Turn::kRow}, {Base::kZeros, Turn::kRow},   {Base::kTurns, Turn::kOpposed},
      {Base::kOnes, Turn::kRow}, {Base::kZeros, Turn::kFirst}, {Base::kNear16, Turn::kRow},
      {Base::kStep, Turn::kRow}, {Base::kTied, Turn::kFirst},  {Base::kAlternating, Turn::kRow}};
  const auto kinds = shape.columns() == 1 ? std::span<const StreamKind>(kOneColumn)
                                          : std::span<const StreamKind>(kColumns);
  return by_places(shape, kinds, most, [&](std::int64_t row, StreamKind kind) {
    return stream_pair(shape, kind, row);
  });
}

// What changes of a round in which every arm has the same context and pays 1: the context to its opposite,
// the one entry that is not 0 to its own, the rewards to 0, or to 0 where the other rounds pay in turn, so
// that both contexts have earned about as much; or all numbers of a row change.
enum class Told { kContext, kEntry, kRewards, kTied, kAll };

// All other rounds pay nothing (but where they take turns) and set the first arm against the rest, by opposite contexts: a greedy arm
// there shows the sign of what the changed round taught. Rows that are alike in all columns show nothing.
InputPair context_pair(const InputShape& shape, Told told, std::int64_t row) {
  const auto fill = [&](std::span<double> numbers, double reward, double first, double others) {
    for (std::int64_t c = 0; c < shape.columns(); ++c) {
      const std::int64_t entry = c - shape.arms;
      double& number = numbers[static_cast<std::size_t>(c)];
      if (entry < 0) {
        number = reward;
      } else {
        const bool used = told != Told::kEntry || entry % shape.dimension == 0;
        number = !used ? 0.0 : entry < shape.dimension ? first : others;
      }
    }
  };
  InputTable old_input = InputTable::zeros(shape.rows(), shape.columns());
  for (std::int64_t r = 0; r < shape.rows(); ++r) {
    const double pays = told == Told::kTied ? base_value(Base::kTied, shape, r, 0) : 0.0;
    const double first = told == Told::kTied && r / shape.arms / 2 % 2 == 1 ? -1.0 : 1.0;
    fill(old_input.row(r), pays, first, -first);
  }
  fill(old_input.row(row), 1.0, 1.0, 1.0);
  Edit edit = row_of(old_input, row);
  const bool unpaid = told == Told::kRewards || told == Told::kTied;
  const double turned = unpaid ? 1.0 : -1.0;
  fill(edit.values, unpaid ? 0.0 : 1.0, turned, turned);
  return InputPair::of(std::move(old_input), std::move(edit));
}

std::vector<InputPair> contextual_pairs(const InputShape& shape, std::size_t most) {
  constexpr Told kKinds[] = {Told::kContext, Told::kRewards, Told::kEntry, Told::kTied, Told::kAll};
  return by_places(shape, std::span<const Told>(kKinds), most, [&](std::int64_t row, Told told) {
    return told == Told::kAll ? stream_pair(shape, {Base::kAlternating, Turn::kRow}, row)
                              : context_pair(shape, told, row);
  });
}

// ---- mechanisms

using Row = std::vector<double>;

std::vector<InputPair> mechanism_pairs(const InputShape& shape, std::size_t most) {
  Collected pairs(most);
  for (const double spread : {0.0, 1.0, 10.0}) {
    Row row(static_cast<std::size_t>(shape.inputs), -spread);
    row[0] = 0.0;
    for (const double change : {1.0, -1.0}) {
      Row moved = row;
      moved[0] += change;
      pairs.add({row, std::move(moved)});
    }
  }
  return pairs.take();
}

}  // namespace

Result<InputPair> pair_of(InputTable old_input, InputTable new_input) {
  if (old_input.rows != new_input.rows || old_input.columns != new_input.columns) {
    return fail(ErrorCode::kInvalidArgument, "the two inputs must have the same shape");
  }
  std::int64_t changed = -1;
  for (std::size_t i = 0; i < old_input.values.size(); ++i) {
    if (old_input.values[i] == new_input.values[i]) continue;
    const std::int64_t row = static_cast<std::int64_t>(i) / old_input.columns;
    if (changed >= 0 && changed != row) {
      return fail(ErrorCode::kInvalidArgument,
                  "the two inputs differ in rows " + std::to_string(changed + 1) + " and " +
                      std::to_string(row + 1) + "; neighbours differ in one");
    }
    changed = row;
  }
  if (changed < 0) return fail(ErrorCode::kInvalidArgument, "the two inputs are equal");
  return InputPair::of(std::move(old_input), row_of(new_input, changed));
}

namespace {

// A mechanism's row may move in any way, as a user gives both.
Relation answers_relation(const InputPair& pair) {
  double farthest = 0.0;
  for (std::size_t i = 0; i < pair.new_row().size(); ++i) {
    farthest = std::max(farthest, std::fabs(pair.new_row()[i] - pair.old_row()[i]));
  }
  if (farthest > 1.0) return Relation::kTwoInputs;
  return pair.differing() == 1 ? Relation::kOneAnswer : Relation::kAllAnswers;
}

}  // namespace

Relation relation_of(const InputShape& shape, const InputPair& pair) {
  switch (shape.kind) {
    case InputKind::kBandit:
      return Relation::kReplaceOneReward;
    case InputKind::kBestArm:
      return Relation::kReplaceOneColumn;
    case InputKind::kDueling:
      return Relation::kReplaceOnePreferences;
    case InputKind::kExperts:
      return Relation::kReplaceOneLossVector;
    case InputKind::kContextual:
      return Relation::kReplaceOneUser;
    case InputKind::kMechanism:
      return answers_relation(pair);
  }
  return Relation::kTwoInputs;
}

View view_of(const InputShape& shape) {
  if (shape.kind == InputKind::kContextual) return View::kOtherActions;
  return shape.kind == InputKind::kMechanism || !OutputLayout(shape).is_plain() ? View::kOutput
                                                                                : View::kActions;
}

namespace {

// A row at its other extreme: rewards, losses and outcomes contexts negated.
Row opposite(const InputShape& shape, std::span<const double> row) {
  Row out(row.begin(), row.end());
  for (std::size_t c = 0; c < out.size(); ++c) {
    const auto column = static_cast<std::int64_t>(c);
    if (shape.kind == InputKind::kDueling && column / shape.arms == column % shape.arms) continue;
    const bool context = shape.kind == InputKind::kContextual && column >= shape.arms;
    out[c] = (context ? 0.0 : 1.0) - out[c];
  }
  return out;
}

void set_row(InputTable& table, std::int64_t row, std::span<const double> values) {
  std::copy(values.begin(), values.end(), table.row(row).begin());
}

// Beside a pair of streams: the tie shifted by one, before and after the change; the change in another
// row; another change of the row; what comes after or before it turned.
void refine_rounds(const InputShape& shape, const InputPair& best, Collected& pairs) {
  const InputTable& base = best.old_input();
  const std::int64_t row = best.changed_row(), rows = base.rows;
  const Row old_row(best.old_row().begin(), best.old_row().end());
  const Row new_row(best.new_row().begin(), best.new_row().end());
  std::vector<std::int64_t> others;
  for (const std::int64_t step : {std::int64_t{1}, shape.arms, 2 * shape.arms, std::int64_t{4},
                                  std::int64_t{16}, rows / 4, rows / 2}) {
    for (const std::int64_t other : {row - step, row + step}) {
      const bool is_new = std::find(others.begin(), others.end(), other) == others.end();
      if (other >= 0 && other < rows && other != row && is_new) others.push_back(other);
    }
  }
  const auto turned = [&](std::int64_t first, std::int64_t end) {
    InputTable table = base;
    for (std::int64_t r = first; r < end; ++r) {
      if (r != row) set_row(table, r, opposite(shape, base.row(r)));
    }
    pairs.add(InputPair::of(std::move(table), {row, new_row}));
  };
  const auto add_at = [&](std::int64_t other) {
    // A tie one further, or one less.
    turned(other, other + 1);
    // The change moves there, and what was there here.
    InputTable table = base;
    set_row(table, row, base.row(other));
    set_row(table, other, old_row);
    pairs.add(InputPair::of(std::move(table), {other, new_row}));
    // The row there changes instead; once more with this row changed on both sides.
    const Row turned_row = opposite(shape, base.row(other));
    pairs.add({best.base(), {other, turned_row}});
    InputTable stays = base;
    set_row(stays, row, new_row);
    pairs.add(InputPair::of(std::move(stays), {other, turned_row}));
  };
  for (std::size_t i = 0; i < std::min<std::size_t>(others.size(), 2); ++i) add_at(others[i]);
  pairs.add({best.base(), {row, opposite(shape, old_row)}});
  turned(row + 1, rows);
  turned(0, row);
  turned(row + 1, std::min(rows, row + 1 + (rows - row) / 2));
  for (std::size_t i = 2; i < others.size(); ++i) add_at(others[i]);
}

// Beside a pair of a mechanism's rows: the others nearer and farther, all of them moved, the same change
// of another value, and the other direction.
void refine_row(const InputShape& shape, const InputPair& best, Collected& pairs) {
  const Row old_row(best.old_row().begin(), best.old_row().end());
  const Row new_row(best.new_row().begin(), best.new_row().end());
  const auto at = static_cast<std::size_t>(best.first_changed());
  const auto add = [&](Row from, Row to) {
    InputPair pair(std::move(from), std::move(to));
    if (relation_of(shape, pair) == relation_of(shape, best)) pairs.add(std::move(pair));
  };
  const auto shifted = [&](double own, double rest) {
    const auto by = [&](Row row) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] += i == at ? own : rest;
      return row;
    };
    add(by(old_row), by(new_row));
  };
  for (const double step : {1.0, 2.0, 4.0, 0.5, 8.0}) {
    if (old_row.size() > 1) {
      shifted(0.0, step);
      shifted(0.0, -step);
    }
    shifted(step, step);
    shifted(-step, -step);
  }
  Row back = old_row;
  for (std::size_t i = 0; i < back.size(); ++i) back[i] -= new_row[i] - old_row[i];
  add(old_row, std::move(back));
  for (const std::size_t other : {old_row.size() / 2, old_row.size() - 1}) {
    Row from = old_row, to = new_row;
    std::swap(from[at], from[other]);
    std::swap(to[at], to[other]);
    add(std::move(from), std::move(to));
  }
}

}  // namespace

std::vector<InputPair> structural_pairs(const InputShape& shape, std::size_t most) {
  std::vector<InputPair> pairs;
  switch (shape.kind) {
    case InputKind::kMechanism:
      pairs = mechanism_pairs(shape, most);
      break;
    case InputKind::kExperts:
      pairs = expert_pairs(shape, most);
      break;
    case InputKind::kDueling:
      pairs = duel_pairs(shape, most);
      break;
    case InputKind::kContextual:
      pairs = contextual_pairs(shape, most);
      break;
    case InputKind::kBandit:
    case InputKind::kBestArm:
      pairs = stream_pairs(shape, most);
      break;
  }
  return pairs;
}

std::vector<InputPair> refined_pairs(const InputShape& shape, const InputPair& best,
                                     std::size_t most) {
  Collected pairs(most);
  if (shape.kind == InputKind::kMechanism) {
    refine_row(shape, best, pairs);
  } else {
    refine_rounds(shape, best, pairs);
  }
  return pairs.but(best);
}

}  // namespace assay
