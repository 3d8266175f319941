#include "assay/auditors/methods/black_box/input_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace assay {
namespace {

enum class Base { kZeros, kAlternating, kOnes, kStep };
constexpr Base kBases[] = {Base::kZeros, Base::kAlternating, Base::kOnes, Base::kStep};

double base_value(Base base, std::int64_t row, std::int64_t rows) {
  switch (base) {
    case Base::kZeros:
      return 0.0;
    case Base::kAlternating:
      return row % 2 == 0 ? 0.0 : 1.0;
    case Base::kOnes:
      return 1.0;
    case Base::kStep:
      return 2 * row < rows ? 1.0 : 0.0;
  }
  return 0.0;
}

// Rows where a change is tried, from 0: the first three, then powers of two, then the middle.
std::vector<std::int64_t> change_rows(std::int64_t rows) {
  std::vector<std::int64_t> out;
  const auto add = [&](std::int64_t row) {
    if (row >= 0 && row < rows && std::find(out.begin(), out.end(), row) == out.end()) {
      out.push_back(row);
    }
  };
  for (const std::int64_t row : {0, 1, 2, 3, 7}) add(row);
  add(rows / 2);
  for (std::int64_t row = 16; row < rows; row *= 4) add(row - 1);
  return out;
}

Edit row_of(const InputTable& table, std::int64_t row) {
  const auto values = table.row(row);
  return {row, {values.begin(), values.end()}};
}

// All columns of a row alike, and in the changed row every one at its other extreme; a second
// variant changes the first column alone.
InputPair sequence_pair(const InputShape& shape, Base base, std::int64_t row, bool whole_row) {
  InputTable old_input{shape.rows(), shape.columns(), {}};
  for (std::int64_t r = 0; r < old_input.rows; ++r) {
    for (std::int64_t c = 0; c < old_input.columns; ++c) {
      old_input.values.push_back(base_value(base, r, old_input.rows));
    }
  }
  Edit edit = row_of(old_input, row);
  const std::size_t changed = whole_row ? edit.values.size() : 1;
  for (std::size_t c = 0; c < changed; ++c) edit.values[c] = 1.0 - edit.values[c];
  return InputPair::of(std::move(old_input), std::move(edit));
}

// Expert 1 against all others: the base is its losses, the others have none, and in the changed row
// it gets worse while all others get better. That moves every comparison of two sums the same way.
InputPair opposed_pair(const InputShape& shape, Base base, std::int64_t row) {
  InputTable old_input{shape.rows(), shape.columns(), {}};
  for (std::int64_t r = 0; r < old_input.rows; ++r) {
    for (std::int64_t c = 0; c < old_input.columns; ++c) {
      const double own = base_value(base, r, old_input.rows);
      old_input.values.push_back(r == row ? (c == 0 ? 0.0 : 1.0) : (c == 0 ? own : 0.0));
    }
  }
  Edit edit = row_of(old_input, row);
  for (double& value : edit.values) value = 1.0 - value;
  return InputPair::of(std::move(old_input), std::move(edit));
}

// A stream of tournaments: arm i beats every later one, or every earlier one, or one and the other in
// turn; or each arm the next half of all in a circle, so that all win as often (an odd K), until the
// changed row breaks the tie.
enum class Duels { kFalling, kRising, kAlternating, kStep, kTied };
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
    case Duels::kStep:
      return falling == (2 * row < shape.horizon);
    case Duels::kTied: {
      const std::int64_t ahead = (j - i + shape.arms) % shape.arms;
      return 2 * ahead == shape.arms ? falling : 2 * ahead < shape.arms;
    }
  }
  return falling;
}

InputPair duel_pair(const InputShape& shape, Duels duels, Turned turned, std::int64_t row) {
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
  constexpr std::pair<Duels, Turned> kTwoArms[] = {{Duels::kAlternating, Turned::kAll},
                                                   {Duels::kFalling, Turned::kAll},
                                                   {Duels::kStep, Turned::kAll},
                                                   {Duels::kRising, Turned::kAll}};
  constexpr std::pair<Duels, Turned> kMoreArms[] = {
      {Duels::kTied, Turned::kAll},         {Duels::kAlternating, Turned::kAll},
      {Duels::kFalling, Turned::kArm},      {Duels::kTied, Turned::kArm},
      {Duels::kFalling, Turned::kAll},      {Duels::kStep, Turned::kAll},
      {Duels::kAlternating, Turned::kDuel}, {Duels::kRising, Turned::kArm}};
  const auto kinds = shape.arms == 2 ? std::span<const std::pair<Duels, Turned>>(kTwoArms)
                                     : std::span<const std::pair<Duels, Turned>>(kMoreArms);
  std::vector<InputPair> pairs;
  for (const std::int64_t row : change_rows(shape.rows())) {
    for (const auto& [duels, turned] : kinds) {
      if (pairs.size() < most) pairs.push_back(duel_pair(shape, duels, turned, row));
    }
  }
  return pairs;
}

std::vector<InputPair> expert_pairs(const InputShape& shape, std::size_t most) {
  std::vector<InputPair> pairs;
  for (const std::int64_t row : change_rows(shape.rows())) {
    if (pairs.size() >= most) break;
    for (const Base base : kBases) pairs.push_back(opposed_pair(shape, base, row));
    pairs.push_back(sequence_pair(shape, Base::kZeros, row, true));
    pairs.push_back(sequence_pair(shape, Base::kZeros, row, false));
  }
  return pairs;
}

std::vector<InputPair> stream_pairs(const InputShape& shape, std::size_t most) {
  std::vector<InputPair> pairs;
  for (const std::int64_t row : change_rows(shape.rows())) {
    if (pairs.size() >= most) break;
    for (const Base base : kBases) {
      pairs.push_back(sequence_pair(shape, base, row, true));
      if (shape.columns() > 1) pairs.push_back(sequence_pair(shape, base, row, false));
    }
  }
  return pairs;
}

// What changes of a round in which every arm has the same context and pays 1: the context to its opposite,
// the one entry that is not 0 to its own, or the rewards to 0.
enum class Told { kContext, kEntry, kRewards };

// All other rounds pay nothing and set the first arm against the rest, by opposite contexts: a greedy arm
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
  for (std::int64_t r = 0; r < shape.rows(); ++r) fill(old_input.row(r), 0.0, 1.0, -1.0);
  fill(old_input.row(row), 1.0, 1.0, 1.0);
  Edit edit = row_of(old_input, row);
  const double turned = told == Told::kRewards ? 1.0 : -1.0;
  fill(edit.values, told == Told::kRewards ? 0.0 : 1.0, turned, turned);
  return InputPair::of(std::move(old_input), std::move(edit));
}

std::vector<InputPair> contextual_pairs(const InputShape& shape, std::size_t most) {
  std::vector<InputPair> pairs;
  for (const std::int64_t row : change_rows(shape.rows())) {
    if (pairs.size() >= most) break;
    for (const Told told : {Told::kContext, Told::kRewards, Told::kEntry}) {
      pairs.push_back(context_pair(shape, told, row));
    }
    pairs.push_back(sequence_pair(shape, Base::kAlternating, row, true));
  }
  return pairs;
}

std::vector<InputPair> mechanism_pairs(const InputShape& shape) {
  std::vector<InputPair> pairs;
  for (const double spread : {0.0, 1.0, 10.0}) {
    std::vector<double> row(static_cast<std::size_t>(shape.inputs), -spread);
    row[0] = 0.0;
    for (const double change : {1.0, -1.0}) {
      std::vector<double> moved = row;
      moved[0] += change;
      pairs.emplace_back(row, std::move(moved));
    }
  }
  return pairs;
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

std::vector<InputPair> structural_pairs(const InputShape& shape, std::size_t most) {
  std::vector<InputPair> pairs;
  switch (shape.kind) {
    case InputKind::kMechanism:
      pairs = mechanism_pairs(shape);
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
  if (pairs.size() > most) pairs.resize(most);
  return pairs;
}

}  // namespace assay
