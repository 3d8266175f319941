#include "assay/auditors/methods/black_box/input_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "assay/auditors/methods/black_box/internal/pair_list.hpp"

namespace assay {

Result<InputPair> pair_of(InputTable base_input, InputTable neighbour_input) {
  const bool one_row = base_input.rows == 1 && neighbour_input.rows == 1;
  if (one_row && std::abs(base_input.columns - neighbour_input.columns) == 1) {
    return InputPair(std::move(base_input.values), std::move(neighbour_input.values));
  }
  if (base_input.rows != neighbour_input.rows || base_input.columns != neighbour_input.columns) {
    return fail(ErrorCode::kInvalidArgument, "the two inputs must have the same shape");
  }
  std::int64_t changed = -1;
  for (std::size_t i = 0; i < base_input.values.size(); ++i) {
    if (base_input.values[i] == neighbour_input.values[i]) continue;
    const std::int64_t row = static_cast<std::int64_t>(i) / base_input.columns;
    if (changed >= 0 && changed != row) {
      return fail(ErrorCode::kInvalidArgument,
                  "the two inputs differ in rows " + std::to_string(changed + 1) + " and " +
                      std::to_string(row + 1) + ", but neighbours differ in one");
    }
    changed = row;
  }
  if (changed < 0) return fail(ErrorCode::kInvalidArgument, "the two inputs are equal");
  return InputPair::of(std::move(base_input), detail::row_of(neighbour_input, changed));
}

namespace {

// The relation of a mechanism from its two rows, if the user stated none.
Relation answers_relation(const InputPair& pair) {
  double farthest = 0.0;
  for (std::size_t i = 0; i < pair.neighbour_row().size(); ++i) {
    farthest = std::max(farthest, std::fabs(pair.neighbour_row()[i] - pair.base_row()[i]));
  }
  if (farthest > 1.0) return Relation::kTwoInputs;
  return pair.differing() == 1 ? Relation::kOneAnswer : Relation::kAllAnswers;
}

bool replaces_records(const InputShape& shape) {
  return !shape.traits().has_rounds() && shape.domain && shape.domain->bounded() &&
         (!shape.neighbours || shape.neighbours->kind == NeighbourKind::kOne);
}

Relation mechanism_relation(const InputShape& shape, const InputPair& pair) {
  if (replaces_records(shape) && (shape.neighbours || pair.differing() == 1)) {
    return Relation::kReplaceOneRecord;
  }
  if (!shape.neighbours) return answers_relation(pair);
  switch (shape.neighbours->kind) {
    case NeighbourKind::kOne:
      return Relation::kOneAnswer;
    case NeighbourKind::kAll:
      return Relation::kAllAnswers;
    case NeighbourKind::kL2:
      return Relation::kAnswersTogether;
    case NeighbourKind::kAddRemove:
      return Relation::kAddOrRemoveOneRecord;
  }
  return Relation::kTwoInputs;
}

// Whether `fewer` is `more` without one of its values.
bool lacks_one(std::span<const double> fewer, std::span<const double> more) {
  if (fewer.size() + 1 != more.size()) return false;
  const auto [at, _] = std::mismatch(fewer.begin(), fewer.end(), more.begin());
  return std::equal(at, fewer.end(), more.begin() + (at - fewer.begin()) + 1);
}

std::string move_text(std::size_t value, double base_value, double neighbour_value) {
  return "value " + std::to_string(value + 1) + " moves from " + number_text(base_value) + " to " +
         number_text(neighbour_value);
}

Status check_moves(const InputShape& shape, const InputPair& pair) {
  const auto bad = [&](const std::string& what) {
    return fail(ErrorCode::kInvalidArgument,
                "the two inputs are not neighbours by " + shape.neighbours->text() + ": " + what);
  };
  const auto base_row = pair.base_row(), neighbour_row = pair.neighbour_row();
  if (shape.adds_or_removes()) {
    if (lacks_one(base_row, neighbour_row) || lacks_one(neighbour_row, base_row)) return {};
    return bad("one must equal the other without one of its values");
  }
  const NeighbourKind kind = shape.neighbours->kind;
  if (kind == NeighbourKind::kOne && pair.differing() > 1) {
    return bad(std::to_string(pair.differing()) + " values differ, not one");
  }
  double squares = 0.0;
  for (std::size_t i = 0; i < base_row.size(); ++i) {
    const double move = std::fabs(neighbour_row[i] - base_row[i]);
    squares += move * move;
    if (kind == NeighbourKind::kL2 || replaces_records(shape) || move <= 1.0) continue;
    return bad(move_text(i, base_row[i], neighbour_row[i]) + ", by more than 1");
  }
  const double distance = std::sqrt(squares);
  if (kind != NeighbourKind::kL2 || distance <= shape.neighbours->distance) return {};
  return bad("they are " + number_text(distance) + " apart");
}

}  // namespace

Status check_neighbours(const InputShape& shape, const InputPair& pair) {
  if (!shape.neighbours || shape.traits().has_rounds()) return {};
  return check_moves(shape, pair);
}

Relation relation_of(const InputShape& shape, const InputPair& pair) {
  const InputKindTraits& kind = shape.traits();
  return kind.has_rounds() ? kind.relation : mechanism_relation(shape, pair);
}

std::string neighbours_text(const InputShape& shape, Relation relation) {
  const std::string of_domain = " within " + (shape.domain ? shape.domain->text() : "0:1");
  switch (relation) {
    case Relation::kReplaceOneReward:
      return "one reward replaced by any other" + of_domain;
    case Relation::kReplaceOneColumn:
      return "the rewards of one round replaced by any others" + of_domain;
    case Relation::kReplaceOneLossVector:
      return "the losses of one round replaced by any others" + of_domain;
    case Relation::kReplaceOnePreferences:
      return "the outcomes of one round's duels replaced by any others";
    case Relation::kReplaceOneUser:
      return "the contexts and rewards of one round replaced by any others";
    case Relation::kReplaceOneRecord:
      return "one value replaced by any other" + of_domain;
    case Relation::kOneAnswer:
      return "one value moves by at most 1";
    case Relation::kAllAnswers:
      return "every value moves by at most 1, in any direction";
    case Relation::kAnswersTogether:
      return "all values move, together by at most " +
             number_text(shape.neighbours ? shape.neighbours->distance : 1.0) +
             " in Euclidean norm";
    case Relation::kAddOrRemoveOneRecord:
      return "one value more or fewer";
    default:
      return to_string(relation);
  }
}

std::string other_neighbours_text(const InputShape& shape) {
  const NeighbourKind kind = shape.neighbours.value_or(Neighbours{}).kind;
  if (shape.traits().has_rounds() || kind != NeighbourKind::kOne) return "";
  constexpr const char* kOthers =
      "--neighbours l2:1 (values move together by at most 1 in Euclidean norm, one of them by at most 1), "
      "--neighbours all (every value moves by at most 1)";
  if (replaces_records(shape)) {
    return std::string(
               "a mechanism for values that move by at most 1 (answers of sensitivity 1) needs one "
               "of: ") +
           kOthers;
  }
  return std::string("other choices: ") + kOthers +
         ", --domain LOW:HIGH (any other value within it replaces one value)";
}

View view_of(const InputShape& shape) {
  const OutputLayout layout(shape);
  if (layout.hides_action) return View::kOtherActions;
  return layout.actions == 0 || !layout.is_plain() ? View::kOutput : View::kActions;
}

}  // namespace assay
