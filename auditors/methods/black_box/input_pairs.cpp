#include "assay/auditors/methods/black_box/input_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
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

double clamped(const InputShape& shape, double value) {
  if (!shape.domain) return value;
  const Domain& domain = *shape.domain;
  return std::clamp(domain.integers ? std::floor(value) : value, domain.low, domain.high);
}

using Row = std::vector<double>;

Row clamped(const InputShape& shape, Row row) {
  for (double& value : row) value = clamped(shape, value);
  return row;
}

// The changed values of `row`: `one` by own, the others by `rest`.
Row moved(const InputShape& shape, Row row, std::size_t one, double own, double rest) {
  for (std::size_t i = 0; i < row.size(); ++i) row[i] += i == one ? own : rest;
  return clamped(shape, std::move(row));
}

// What may be added to one value and to the others, the strongest of comparisons first.
std::vector<std::pair<double, double>> moves_of(const InputShape& shape) {
  const Neighbours neighbours = shape.neighbours.value_or(Neighbours{});
  const auto count = static_cast<double>(shape.inputs);
  switch (neighbours.kind) {
    case NeighbourKind::kAll:
      return {{1.0, -1.0}, {-1.0, 1.0}, {1.0, 1.0}, {-1.0, -1.0}};
    case NeighbourKind::kL2: {
      // Rounded down, so that no rounding of the norm passes it.
      const double far = neighbours.distance * (1.0 - 0x1p-40);
      const bool whole = shape.domain && shape.domain->integers;
      const double own = whole ? std::floor(neighbours.distance) : far;
      const double each = whole ? std::floor(far / std::sqrt(count)) : far / std::sqrt(count);
      return {{own, 0.0}, {-own, 0.0}, {each, -each}, {each, each}, {-each, each}};
    }
    case NeighbourKind::kOne:
    case NeighbourKind::kAddRemove:
      return {{1.0, 0.0}, {-1.0, 0.0}};
  }
  return {};
}

// Rows around which a change is tried, by how far the other values are from the first one.
std::vector<Row> mechanism_bases(const InputShape& shape) {
  const auto count = static_cast<std::size_t>(shape.inputs);
  std::vector<Row> bases;
  const auto add = [&](double own, double rest) {
    Row row(count, rest);
    row[0] = own;
    bases.push_back(clamped(shape, std::move(row)));
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

// The changes of a base in which the value at `at` is the one.
void add_mechanism_pairs(const InputShape& shape, const Row& base, std::size_t at,
                         Collected& pairs) {
  if (shape.adds_or_removes()) {
    Row fewer = base;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
    pairs.add({base, std::move(fewer)});
    return;
  }
  const bool replaces = shape.domain && shape.domain->bounded() &&
                        shape.neighbours.value_or(Neighbours{}).kind == NeighbourKind::kOne;
  if (replaces) {
    for (const double value : {shape.domain->low, shape.domain->high}) {
      Row row = base;
      row[at] = value;
      pairs.add({base, std::move(row)});
    }
    return;
  }
  for (const auto& [own, rest] : moves_of(shape))
    pairs.add({base, moved(shape, base, at, own, rest)});
}

std::vector<InputPair> mechanism_pairs(const InputShape& shape, std::size_t most) {
  Collected pairs(most);
  for (const Row& base : mechanism_bases(shape)) {
    add_mechanism_pairs(shape, base, 0, pairs);
    if (shape.adds_or_removes()) add_mechanism_pairs(shape, base, base.size() - 1, pairs);
  }
  return pairs.take();
}

}  // namespace

Result<InputPair> pair_of(InputTable old_input, InputTable new_input) {
  const bool one_row = old_input.rows == 1 && new_input.rows == 1;
  if (one_row && std::abs(old_input.columns - new_input.columns) == 1) {
    return InputPair(std::move(old_input.values), std::move(new_input.values));
  }
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

// Of a mechanism, from the two rows: nothing was said of neighbours.
Relation answers_relation(const InputPair& pair) {
  double farthest = 0.0;
  for (std::size_t i = 0; i < pair.new_row().size(); ++i) {
    farthest = std::max(farthest, std::fabs(pair.new_row()[i] - pair.old_row()[i]));
  }
  if (farthest > 1.0) return Relation::kTwoInputs;
  return pair.differing() == 1 ? Relation::kOneAnswer : Relation::kAllAnswers;
}

bool replaces_records(const InputShape& shape) {
  return shape.kind == InputKind::kMechanism && shape.domain && shape.domain->bounded() &&
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

std::string move_text(std::size_t value, double old_value, double new_value) {
  return "value " + std::to_string(value + 1) + " moves from " + number_text(old_value) + " to " +
         number_text(new_value);
}

Status check_moves(const InputShape& shape, const InputPair& pair) {
  const auto bad = [&](const std::string& what) {
    return fail(ErrorCode::kInvalidArgument,
                "the two inputs are no neighbours " + shape.neighbours->text() + ": " + what);
  };
  const auto old_row = pair.old_row(), new_row = pair.new_row();
  if (shape.adds_or_removes()) {
    if (lacks_one(old_row, new_row) || lacks_one(new_row, old_row)) return {};
    return bad("one must be the other without one of its values");
  }
  const NeighbourKind kind = shape.neighbours->kind;
  if (kind == NeighbourKind::kOne && pair.differing() > 1) {
    return bad(std::to_string(pair.differing()) + " values differ, not one");
  }
  double squares = 0.0;
  for (std::size_t i = 0; i < old_row.size(); ++i) {
    const double move = std::fabs(new_row[i] - old_row[i]);
    squares += move * move;
    if (kind == NeighbourKind::kL2 || replaces_records(shape) || move <= 1.0) continue;
    return bad(move_text(i, old_row[i], new_row[i]) + ", by more than 1");
  }
  const double distance = std::sqrt(squares);
  if (kind != NeighbourKind::kL2 || distance <= shape.neighbours->distance) return {};
  return bad("they are " + number_text(distance) + " apart");
}

}  // namespace

Status check_neighbours(const InputShape& shape, const InputPair& pair) {
  if (!shape.neighbours || shape.kind != InputKind::kMechanism) return {};
  return check_moves(shape, pair);
}

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
      return mechanism_relation(shape, pair);
  }
  return Relation::kTwoInputs;
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
  if (shape.kind != InputKind::kMechanism || kind != NeighbourKind::kOne) return "";
  constexpr const char* kOthers =
      "--neighbours l2:1 has values move together by at most 1 in Euclidean norm, one of them by at most 1, "
      "--neighbours all has every value move by at most 1";
  if (replaces_records(shape)) {
    return std::string(
               "where the mechanism is meant for a value that moves by at most 1 (an answer of "
               "sensitivity 1), that is far more: ") +
           kOthers;
  }
  return std::string(kOthers) + ", --domain LOW:HIGH has one value replaced by any other within it";
}

View view_of(const InputShape& shape) {
  if (shape.kind == InputKind::kContextual) return View::kOtherActions;
  return shape.kind == InputKind::kMechanism || !OutputLayout(shape).is_plain() ? View::kOutput
                                                                                : View::kActions;
}

namespace {

// Without those that rounding moved too far.
std::vector<InputPair> neighbours_of(const InputShape& shape, std::vector<InputPair> pairs) {
  std::erase_if(pairs, [&](const InputPair& pair) { return !check_neighbours(shape, pair); });
  return pairs;
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
      if (r != row) set_row(table, r, opposite_row(shape, base.row(r)));
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
    const Row turned_row = opposite_row(shape, base.row(other));
    pairs.add({best.base(), {other, turned_row}});
    InputTable stays = base;
    set_row(stays, row, new_row);
    pairs.add(InputPair::of(std::move(stays), {other, turned_row}));
  };
  for (std::size_t i = 0; i < std::min<std::size_t>(others.size(), 2); ++i) add_at(others[i]);
  pairs.add({best.base(), {row, opposite_row(shape, old_row)}});
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
  const bool counted = old_row.size() != new_row.size();
  const auto at = static_cast<std::size_t>(best.first_changed());
  const auto add = [&](Row from, Row to) {
    InputPair pair(clamped(shape, std::move(from)), clamped(shape, std::move(to)));
    if (relation_of(shape, pair) == relation_of(shape, best) && check_neighbours(shape, pair)) {
      pairs.add(std::move(pair));
    }
  };
  const auto shifted = [&](double own, double rest) {
    const auto by = [&](Row row) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] += i == at ? own : rest;
      return row;
    };
    add(by(old_row), by(new_row));
  };
  if (!counted) {
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
    return;
  }
  for (const double factor : {2.0, 0.5, -1.0, 0.0}) {
    Row from = old_row, to = new_row;
    for (double& value : from) value *= factor;
    for (double& value : to) value *= factor;
    add(std::move(from), std::move(to));
  }
  const Row& larger = old_row.size() > new_row.size() ? old_row : new_row;
  for (std::size_t gone : {larger.size() - 1, larger.size() / 2, std::size_t{0}}) {
    Row fewer = larger;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(gone));
    add(larger, std::move(fewer));
  }
}

// How far the two leading columns are apart by then, row by row; of a stream what is left of ones less
// zeros.
std::vector<double> gaps_of(const InputTable& table) {
  const auto columns = static_cast<std::size_t>(table.columns);
  std::vector<double> sums(columns, 0.0), gaps;
  for (std::int64_t r = 0; r < table.rows; ++r) {
    const auto values = table.row(r);
    double first = -HUGE_VAL, second = -HUGE_VAL;
    for (std::size_t c = 0; c < columns; ++c) {
      sums[c] += columns == 1 ? values[c] - 0.5 : values[c];
      if (sums[c] > first)
        second = std::exchange(first, sums[c]);
      else
        second = std::max(second, sums[c]);
    }
    gaps.push_back(columns == 1 ? std::fabs(first) : first - second);
  }
  return gaps;
}

// All rows but for very many: early ones, those by which two columns are tied, and those that move the
// farthest, in turns.
std::vector<std::int64_t> rows_beside(const InputShape& shape, const InputTable& base,
                                      std::size_t most) {
  const auto gaps = gaps_of(base);
  std::vector<double> moves;
  for (std::int64_t r = 0; r < base.rows; ++r) {
    const Row turned = opposite_row(shape, base.row(r));
    double move = 0.0;
    for (std::size_t c = 0; c < turned.size(); ++c) move += std::fabs(turned[c] - base.row(r)[c]);
    moves.push_back(-move);
  }
  const auto first_by = [&](const std::vector<double>& key) {
    std::vector<std::int64_t> rows(key.size());
    std::iota(rows.begin(), rows.end(), std::int64_t{0});
    const auto kept = std::min(rows.size(), most);
    std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(kept), rows.end(),
                      [&](std::int64_t a, std::int64_t b) {
                        const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
                        return key[x] != key[y] ? key[x] < key[y] : a < b;
                      });
    rows.resize(kept);
    return rows;
  };
  const std::vector<std::int64_t> lists[] = {change_rows(shape), first_by(gaps), first_by(moves)};
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < most; ++i) {
    for (const auto& list : lists) {
      if (i < list.size() && std::find(rows.begin(), rows.end(), list[i]) == rows.end()) {
        rows.push_back(list[i]);
      }
    }
  }
  return rows;
}

void add_beside_rounds(const InputShape& shape, const std::shared_ptr<const InputTable>& base,
                       std::size_t most, Collected& pairs) {
  constexpr std::size_t kMostReplacements = 6;
  std::vector<Row> replacements;
  const auto replace_by = [&](std::span<const double> values) {
    Row row(values.begin(), values.end());
    if (replacements.size() < kMostReplacements &&
        std::find(replacements.begin(), replacements.end(), row) == replacements.end()) {
      replacements.push_back(std::move(row));
    }
  };
  for (const auto& pair : structural_pairs(shape, 12)) {
    replace_by(pair.new_row());
    replace_by(pair.old_row());
  }
  const auto rows = rows_beside(shape, *base, most);
  for (std::size_t sum = 0; sum < rows.size() + replacements.size() && !pairs.full(); ++sum) {
    for (std::size_t r = 0; r <= std::min(sum, rows.size() - 1); ++r) {
      if (sum - r > replacements.size()) continue;
      pairs.add({base,
                 {rows[r],
                  sum == r ? opposite_row(shape, base->row(rows[r])) : replacements[sum - r - 1]}});
    }
  }
}

void add_beside_row(const InputShape& shape, const InputTable& base, Collected& pairs) {
  const Row row(base.values);
  const auto place = [&](auto found) { return static_cast<std::size_t>(found - row.begin()); };
  std::vector<std::size_t> places;
  for (const std::size_t at :
       {place(std::max_element(row.begin(), row.end())), std::size_t{0},
        place(std::min_element(row.begin(), row.end())), row.size() / 2, row.size() - 1}) {
    if (std::find(places.begin(), places.end(), at) == places.end()) places.push_back(at);
  }
  if (shape.adds_or_removes() && base.columns < shape.columns()) {
    const bool bounded = shape.domain && shape.domain->bounded();
    for (const double value :
         {bounded ? shape.domain->high : 1.0, bounded ? shape.domain->low : 0.0,
          bounded ? 0.5 * (shape.domain->low + shape.domain->high) : -1.0}) {
      Row more = row;
      more.push_back(clamped(shape, value));
      pairs.add({row, std::move(more)});
    }
    return;
  }
  for (const std::size_t at : places) add_mechanism_pairs(shape, row, at, pairs);
}

// Numbers from 0 to 1 as those of the domain, contexts from -1 to 1 too.
std::vector<InputPair> in_domain(const InputShape& shape, const std::vector<InputPair>& pairs) {
  if (!shape.domain->bounded()) return pairs;  // 0 and 1 are integers
  const double low = shape.domain->low, high = shape.domain->high;
  const auto scale = [&](std::span<double> values, std::int64_t columns) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool contextual = shape.kind == InputKind::kContextual;
      if (contextual && static_cast<std::int64_t>(i) % columns < shape.arms) continue;
      const double part = contextual ? 0.5 * (values[i] + 1.0) : values[i];
      values[i] = std::clamp(low + part * (high - low), low, high);
    }
  };
  Collected scaled(pairs.size());
  for (const auto& pair : pairs) {
    InputTable base = pair.old_input();
    scale(base.values, base.columns);
    Edit edit = pair.edit();
    scale(edit.values, base.columns);
    scaled.add(InputPair::of(std::move(base), std::move(edit)));
  }
  return scaled.take();
}

}  // namespace

std::vector<double> opposite_row(const InputShape& shape, std::span<const double> row) {
  std::vector<double> out(row.begin(), row.end());
  const bool bounded = shape.domain && shape.domain->bounded();
  for (std::size_t c = 0; c < out.size(); ++c) {
    const auto column = static_cast<std::int64_t>(c);
    const bool context = shape.kind == InputKind::kContextual && column >= shape.arms;
    const bool scaled = bounded && (context || shape.kind != InputKind::kContextual);
    if (shape.kind == InputKind::kDueling && column / shape.arms == column % shape.arms) continue;
    const double ends = scaled ? shape.domain->low + shape.domain->high : context ? 0.0 : 1.0;
    out[c] =
        scaled ? std::clamp(ends - out[c], shape.domain->low, shape.domain->high) : ends - out[c];
  }
  return out;
}

std::vector<InputPair> structural_pairs(const InputShape& shape, std::size_t most) {
  std::vector<InputPair> pairs;
  switch (shape.kind) {
    case InputKind::kMechanism:
      pairs = neighbours_of(shape, mechanism_pairs(shape, most));
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
  return shape.domain && shape.kind != InputKind::kMechanism ? in_domain(shape, pairs) : pairs;
}

std::vector<InputPair> pairs_beside(const InputShape& shape,
                                    const std::shared_ptr<const InputTable>& base,
                                    std::size_t most) {
  Collected pairs(most);
  if (shape.kind == InputKind::kMechanism) {
    add_beside_row(shape, *base, pairs);
  } else {
    add_beside_rounds(shape, base, most, pairs);
  }
  return neighbours_of(shape, pairs.take());
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
