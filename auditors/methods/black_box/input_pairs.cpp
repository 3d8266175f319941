#include "assay/auditors/methods/black_box/input_pairs.hpp"

#include <algorithm>
#include <cmath>

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

// All columns of a row alike, and in the changed row every one at its other extreme; a second
// variant changes the first column alone.
InputPair sequence_pair(const TargetShape& shape, Base base, std::int64_t row, bool whole_row) {
  InputPair pair;
  InputTable& old_input = pair.old_input;
  old_input = {shape.rows(), shape.columns(), {}};
  for (std::int64_t r = 0; r < old_input.rows; ++r) {
    for (std::int64_t c = 0; c < old_input.columns; ++c) {
      old_input.values.push_back(base_value(base, r, old_input.rows));
    }
  }
  pair.row = row;
  pair.new_input = old_input;
  const std::int64_t changed = whole_row ? old_input.columns : 1;
  for (std::int64_t c = 0; c < changed; ++c) {
    double& value = pair.new_input.values[static_cast<std::size_t>(row * old_input.columns + c)];
    value = 1.0 - value;
  }
  return pair;
}

// Expert 1 against all others: the base is its losses, the others have none, and in the changed row
// it gets worse while all others get better. That moves every comparison of two sums the same way.
InputPair opposed_pair(const TargetShape& shape, Base base, std::int64_t row) {
  InputPair pair;
  InputTable& old_input = pair.old_input;
  old_input = {shape.rows(), shape.columns(), {}};
  for (std::int64_t r = 0; r < old_input.rows; ++r) {
    for (std::int64_t c = 0; c < old_input.columns; ++c) {
      const double own = base_value(base, r, old_input.rows);
      old_input.values.push_back(r == row ? (c == 0 ? 0.0 : 1.0) : (c == 0 ? own : 0.0));
    }
  }
  pair.row = row;
  pair.new_input = old_input;
  for (std::int64_t c = 0; c < old_input.columns; ++c) {
    double& value = pair.new_input.values[static_cast<std::size_t>(row * old_input.columns + c)];
    value = 1.0 - value;
  }
  return pair;
}

std::vector<InputPair> expert_pairs(const TargetShape& shape) {
  std::vector<InputPair> pairs;
  for (const std::int64_t row : change_rows(shape.rows())) {
    for (const Base base : kBases) pairs.push_back(opposed_pair(shape, base, row));
    pairs.push_back(sequence_pair(shape, Base::kZeros, row, true));
    pairs.push_back(sequence_pair(shape, Base::kZeros, row, false));
  }
  return pairs;
}

std::vector<InputPair> mechanism_pairs(const TargetShape& shape) {
  std::vector<InputPair> pairs;
  for (const double spread : {0.0, 1.0, 10.0}) {
    InputTable table{1, shape.inputs, {}};
    for (std::int64_t c = 0; c < shape.inputs; ++c) {
      table.values.push_back(c == 0 ? 0.0 : -spread);
    }
    for (const double change : {1.0, -1.0}) {
      InputPair pair{table, table, 0};
      pair.new_input.values[0] += change;
      pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

}  // namespace

Result<InputPair> pair_of(InputTable old_input, InputTable new_input) {
  if (old_input.rows != new_input.rows || old_input.columns != new_input.columns) {
    return fail(ErrorCode::kInvalidArgument, "the two inputs must have the same shape");
  }
  InputPair pair{std::move(old_input), std::move(new_input), -1};
  const std::int64_t columns = pair.old_input.columns;
  for (std::size_t i = 0; i < pair.old_input.values.size(); ++i) {
    if (pair.old_input.values[i] == pair.new_input.values[i]) continue;
    const std::int64_t row = static_cast<std::int64_t>(i) / columns;
    if (pair.row >= 0 && pair.row != row) {
      return fail(ErrorCode::kInvalidArgument,
                  "the two inputs differ in rows " + std::to_string(pair.row + 1) + " and " +
                      std::to_string(row + 1) + "; neighbours differ in one");
    }
    pair.row = row;
  }
  if (pair.row < 0) return fail(ErrorCode::kInvalidArgument, "the two inputs are equal");
  return pair;
}

namespace {

// A mechanism's row may move in any way, as a user gives both.
Relation answers_relation(const InputPair& pair) {
  std::size_t moved = 0;
  double farthest = 0.0;
  for (std::size_t i = 0; i < pair.old_input.values.size(); ++i) {
    const double move = std::fabs(pair.new_input.values[i] - pair.old_input.values[i]);
    if (move > 0.0) ++moved;
    farthest = std::max(farthest, move);
  }
  if (farthest > 1.0) return Relation::kTwoInputs;
  return moved == 1 ? Relation::kOneAnswer : Relation::kAllAnswers;
}

}  // namespace

Relation relation_of(const TargetShape& shape, const InputPair& pair) {
  switch (shape.kind) {
    case TargetKind::kBandit:
      return Relation::kReplaceOneReward;
    case TargetKind::kBestArm:
      return Relation::kReplaceOneColumn;
    case TargetKind::kDueling:
      return Relation::kReplaceOnePreferences;
    case TargetKind::kExperts:
      return Relation::kReplaceOneLossVector;
    case TargetKind::kContextual:
      return Relation::kReplaceOneUser;
    case TargetKind::kMechanism:
      return answers_relation(pair);
  }
  return Relation::kTwoInputs;
}

View view_of(const TargetShape& shape) {
  if (shape.kind == TargetKind::kMechanism) return View::kOutput;
  return shape.kind == TargetKind::kContextual ? View::kOtherActions : View::kActions;
}

std::vector<InputPair> structural_pairs(const TargetShape& shape, std::size_t most) {
  std::vector<InputPair> pairs;
  if (shape.kind == TargetKind::kMechanism) {
    pairs = mechanism_pairs(shape);
  } else if (shape.kind == TargetKind::kExperts) {
    pairs = expert_pairs(shape);
  } else {
    for (const std::int64_t row : change_rows(shape.rows())) {
      for (const Base base : kBases) {
        pairs.push_back(sequence_pair(shape, base, row, true));
        if (shape.columns() > 1) pairs.push_back(sequence_pair(shape, base, row, false));
      }
    }
  }
  if (pairs.size() > most) pairs.resize(most);
  return pairs;
}

}  // namespace assay
