#include "assay/auditors/check/drawn_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <utility>

#include "assay/auditors/audit/pair_table.hpp"
#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/regret/simulate_policy.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"

namespace assay {
namespace {

using detail::PairCheck;
using detail::Parameters;

constexpr std::size_t kMostPairs = 24;
constexpr int kTries = 20;

std::size_t below(std::size_t count, ReplayStream& random) {
  return static_cast<std::size_t>(uniform_below(random, count));
}

// ---- parameters ---------------------------------------------------------------------------------

Range range_of(const FieldDescription& field) {
  const auto to = field.allowed.find(" to ");
  if (to == std::string::npos) return {};
  return {std::strtod(field.allowed.c_str(), nullptr),
          std::strtod(field.allowed.c_str() + to + 4, nullptr)};
}

// Three digits are enough to find a fault and short enough to read.
double rounded_to_digits(double value, int digits) {
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

double draw_number(Range range, ReplayStream& random) {
  if (range.low == 0.0 && below(3, random) == 0) return 0.0;
  const double low = std::max(range.low, range.high <= 1.0 ? 0.05 : range.low < 0.0 ? -4.0 : 0.1);
  const double high = std::min(range.high, range.high <= 1.0 ? 0.95 : 8.0);
  if (low >= high) return range.high < low ? range.high : range.low;
  const double part = random.uniform();
  const double value =
      low <= 0.0 ? low + (high - low) * part : low * portable_exp(part * portable_log(high / low));
  return std::clamp(rounded_to_digits(value, 3), low, high);
}

std::vector<std::string> choices_of(const FieldDescription& field) {
  std::vector<std::string> names;
  std::istringstream text(field.allowed);
  for (std::string word; text >> word;) {
    if (word != "|") names.push_back(word);
  }
  return names;
}

std::string draw_value(const FieldDescription& field, int size, ReplayStream& random) {
  const Range range = range_of(field);
  if (field.type == "number") return number_text(draw_number(range, random));
  if (field.type != "integer") {
    const auto names = choices_of(field);
    return names[below(names.size(), random)];
  }
  const auto low = static_cast<std::int64_t>(std::max(range.low, -4.0));
  // The number of outputs grows with a power of these.
  constexpr std::array<std::string_view, 5> kWidths{"arms", "actions", "dimension", "inputs",
                                                    "answers"};
  const int more = contains(kWidths, field.name) ? size / 25 : size * size / 200;
  const auto high =
      static_cast<std::int64_t>(std::min(range.high, static_cast<double>(low + 2 + more)));
  const auto count = static_cast<double>(high - low + 1);
  // Rounds evenly; what happens within them half of the time by ratio, so that it fits.
  const bool evenly = field.name == "horizon" || below(2, random) == 0;
  const double part = random.uniform();
  const double at = evenly ? part * count : portable_exp(part * portable_log(count + 1.0)) - 1.0;
  return std::to_string(std::min(high, low + static_cast<std::int64_t>(at)));
}

// The values of a field that are simpler than this one, the simplest first.
std::vector<std::string> simpler_values(const FieldDescription& field, const std::string& value) {
  std::vector<std::string> simpler;
  const auto add = [&](std::string text) {
    if (text != value && std::count(simpler.begin(), simpler.end(), text) == 0) {
      simpler.push_back(std::move(text));
    }
  };
  if (field.type == "integer") {
    const auto low = static_cast<std::int64_t>(std::max(range_of(field).low, -4.0));
    const auto now = parse_integer(value).value_or(low);
    for (const std::int64_t next : {low, low + (now - low) / 2, now - 1}) {
      if (next < now && next >= low) add(std::to_string(next));
    }
  } else if (field.type == "number") {
    const Range range = range_of(field);
    const double now = parse_number(value).value_or(0.0);
    std::vector<std::string> ranks;  // from the simplest to the value itself
    const auto rank = [&](double x) {
      if (x >= range.low && x <= range.high) ranks.push_back(number_text(x));
    };
    ranks.push_back(field.default_value);
    rank(1.0);
    rank(rounded_to_digits(now, 1));
    rank(rounded_to_digits(now, 2));
    for (const auto& text : ranks) {
      if (text == value) break;
      add(text);
    }
  } else if (value != field.default_value) {
    add(field.default_value);
  }
  return simpler;
}

// ---- inputs -------------------------------------------------------------------------------------

Domain domain_of(const InputShape& shape) {
  if (shape.domain) return *shape.domain;
  return shape.traits().has_rounds() ? Domain{0.0, 1.0} : Domain{};
}

// The numbers of a row that its kind limits to the domain; the rest are entries of contexts.
std::int64_t limited_columns(const InputShape& shape) {
  return shape.traits().has_contexts() ? shape.arms : shape.columns();
}

double draw_entry(const Domain& domain, ReplayStream& random) {
  if (!domain.bounded()) {
    const double half = static_cast<double>(below(17, random)) / 2.0 - 4.0;
    const double value = domain.integers ? std::floor(half) : half;
    return domain.contains(value) ? value : std::isfinite(domain.low) ? domain.low : domain.high;
  }
  const auto eighth = static_cast<double>(below(9, random)) / 8.0;
  const double at = domain.at(below(4, random) < 3 ? (eighth < 0.5 ? 0.0 : 1.0) : eighth);
  return domain.integers ? std::floor(at) : at;
}

// Of i < j, arm i wins in the simplest tournament.
void set_duel(std::span<double> row, std::int64_t arms, std::int64_t i, std::int64_t j,
              bool first_wins) {
  row[static_cast<std::size_t>(i * arms + j)] = first_wins ? 1.0 : 0.0;
  row[static_cast<std::size_t>(j * arms + i)] = first_wins ? 0.0 : 1.0;
}

void draw_row(const InputShape& shape, std::span<double> row, ReplayStream& random) {
  if (shape.traits().has_duels()) {
    for (std::int64_t i = 0; i < shape.arms; ++i) {
      for (std::int64_t j = i + 1; j < shape.arms; ++j) {
        set_duel(row, shape.arms, i, j, below(2, random) == 0);
      }
    }
    return;
  }
  const auto limited = static_cast<std::size_t>(limited_columns(shape));
  const Domain domain = domain_of(shape);
  const bool equal = shape.columns() > 1 && below(3, random) == 0;  // ties are common faults
  for (std::size_t i = 0; i < row.size(); ++i) {
    const Domain of_entry = i < limited ? domain : Domain{-1.0, 1.0};
    row[i] = equal && i > 0 && i < limited ? row[0] : draw_entry(of_entry, random);
  }
}

// The places of a value in the order from simple to complicated; each simpler value has a lower one.
int rank_of(const Domain& domain, double value) {
  const double zero = domain.contains(0.0) ? 0.0 : domain.low;
  if (value == zero) return 0;
  if (value == domain.high || (!domain.bounded() && value == zero + 1.0)) return 1;
  if (value == domain.low || (!domain.bounded() && value == zero - 1.0)) return 2;
  return value == std::floor(value) ? 3 : 4;
}
std::vector<double> simpler_entries(const Domain& domain, double value) {
  const double zero = domain.contains(0.0) ? 0.0 : domain.low;
  std::vector<double> simpler;
  for (const double next : {zero, domain.bounded() ? domain.high : zero + 1.0,
                            domain.bounded() ? domain.low : zero - 1.0, std::floor(value)}) {
    if (domain.contains(next) && rank_of(domain, next) < rank_of(domain, value)) {
      simpler.push_back(next);
    }
  }
  return simpler;
}

// Simpler rows of one kind: first all at once, then entry by entry.
std::vector<std::vector<double>> simpler_rows(const InputShape& shape,
                                              std::span<const double> row) {
  std::vector<std::vector<double>> simpler;
  const std::vector<double> now(row.begin(), row.end());
  const auto add = [&](std::vector<double> next) {
    if (next != now) simpler.push_back(std::move(next));
  };
  if (shape.traits().has_duels()) {
    auto all = now;
    for (std::int64_t i = 0; i < shape.arms; ++i) {
      for (std::int64_t j = i + 1; j < shape.arms; ++j) set_duel(all, shape.arms, i, j, true);
    }
    add(all);
    for (std::int64_t i = 0; i < shape.arms; ++i) {
      for (std::int64_t j = i + 1; j < shape.arms; ++j) {
        auto one = now;
        set_duel(one, shape.arms, i, j, true);
        add(one);
      }
    }
    return simpler;
  }
  const Domain domain = domain_of(shape);
  const auto limited = static_cast<std::size_t>(limited_columns(shape));
  std::vector<double> zeros(now.size(), 0.0);
  std::fill_n(zeros.begin(), std::min(limited, zeros.size()),
              domain.contains(0.0) ? 0.0 : domain.low);
  add(zeros);
  for (std::size_t i = 0; i < now.size(); ++i) {
    for (const double next : simpler_entries(i < limited ? domain : Domain{-1.0, 1.0}, now[i])) {
      auto one = now;
      one[i] = next;
      add(std::move(one));
    }
  }
  return simpler;
}

// Row of a shape with fewer arms, entries of a context or values.
std::vector<double> cut_row(const InputShape& from, const InputShape& to,
                            std::span<const double> row) {
  std::vector<double> cut;
  const auto take = [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t i = first; i < first + count && i < static_cast<std::int64_t>(row.size());
         ++i) {
      cut.push_back(row[static_cast<std::size_t>(i)]);
    }
  };
  if (to.traits().has_duels()) {
    for (std::int64_t i = 0; i < to.arms; ++i) take(i * from.arms, to.arms);
  } else if (to.traits().has_contexts()) {
    take(0, to.arms);
    for (std::int64_t i = 0; i < to.arms; ++i) {
      take(from.arms + i * from.dimension, to.dimension);
    }
  } else {
    // A mechanism's input may have one value more or fewer than its shape.
    const auto longer = static_cast<std::int64_t>(row.size()) - from.columns();
    take(0, to.columns() + longer);
  }
  return cut;
}

InputTable without_row(const InputTable& input, std::int64_t row) {
  InputTable shorter = input;
  const auto first = shorter.values.begin() + row * input.columns;
  shorter.values.erase(first, first + input.columns);
  --shorter.rows;
  return shorter;
}

}  // namespace

Parameters detail::draw_parameters(const std::vector<FieldDescription>& fields,
                                   const Parameters& kept, int size, ReplayStream& random) {
  Parameters parameters = kept;
  for (const FieldDescription& field : fields) {
    if (!is_given(kept, field.name))
      parameters.push_back({field.name, draw_value(field, size, random)});
  }
  return parameters;
}

std::vector<Parameters> detail::simpler_parameters(const std::vector<FieldDescription>& fields,
                                                   const Parameters& kept,
                                                   const Parameters& parameters) {
  std::vector<Parameters> simpler;
  for (const FieldDescription& field : fields) {
    if (is_given(kept, field.name)) continue;
    const auto at = std::find_if(parameters.begin(), parameters.end(),
                                 [&](const KeyValue& one) { return one.key == field.name; });
    if (at == parameters.end()) continue;
    for (auto& value : simpler_values(field, at->value)) {
      simpler.push_back(parameters);
      simpler.back()[static_cast<std::size_t>(at - parameters.begin())].value = std::move(value);
    }
  }
  return simpler;
}

InputTable detail::draw_input(const InputShape& shape, ReplayStream& random) {
  auto input = InputTable::zeros(shape.rows(), shape.columns());
  for (std::int64_t r = 0; r < input.rows; ++r) draw_row(shape, input.row(r), random);
  return input;
}

std::vector<InputTable> detail::simpler_inputs(const InputShape& shape, const InputTable& input) {
  std::vector<InputTable> simpler;
  for (std::int64_t r = 0; r < input.rows; ++r) {
    for (const auto& row : simpler_rows(shape, input.row(r))) {
      simpler.push_back(input);
      std::copy(row.begin(), row.end(), simpler.back().row(r).begin());
    }
  }
  return simpler;
}

PairCheck detail::neighbours_of_shape(const InputShape& shape) {
  return [shape](const InputPair& pair) {
    if (pair.differing() == 0) return false;
    InputShape of = shape;  // with as many rows as the pair
    if (shape.traits().has_rounds()) of.horizon = pair.base_input().rows;
    InputShape one_row = of;
    one_row.horizon = 1;
    if (!shape.traits().has_rounds()) {
      of.inputs = pair.base_input().columns;
      one_row.inputs = static_cast<std::int64_t>(pair.neighbour_row().size());
    }
    const auto row =
        InputTable::one_row({pair.neighbour_row().begin(), pair.neighbour_row().end()});
    return check_input(of, pair.base_input()) && check_input(one_row, row) &&
           check_neighbours(shape, pair);
  };
}

InputPair detail::draw_pair(const InputShape& shape, const PairCheck& check, ReplayStream& random) {
  auto hard = structural_pairs(shape, kMostPairs);
  std::erase_if(hard, [&](const InputPair& pair) { return !check(pair); });
  if (!hard.empty() && below(2, random) == 0) return hard[below(hard.size(), random)];
  for (int i = 0; i < kTries; ++i) {
    auto base = std::make_shared<const InputTable>(draw_input(shape, random));
    InputPair pair;
    if (shape.traits().has_rounds()) {
      const auto row =
          static_cast<std::int64_t>(below(static_cast<std::size_t>(base->rows), random));
      Edit edit{row, std::vector<double>(static_cast<std::size_t>(base->columns))};
      draw_row(shape, edit.values, random);
      pair = {base, std::move(edit)};
    } else {
      const auto beside = pairs_beside(shape, base, kMostPairs);
      if (beside.empty()) continue;
      pair = beside[below(beside.size(), random)];
    }
    if (check(pair)) return pair;
  }
  return hard.empty() ? InputPair{} : hard[below(hard.size(), random)];
}

InputPair detail::cut_pair(const InputShape& from, const InputShape& to, const InputPair& pair) {
  const InputTable& base = pair.base_input();
  const std::int64_t rows = to.rows();
  if (rows > base.rows) return {};
  const std::int64_t first = std::max<std::int64_t>(0, pair.changed_row() - rows + 1);
  InputTable cut{rows, 0, {}};
  for (std::int64_t r = first; r < first + rows; ++r) {
    const auto row = cut_row(from, to, base.row(r));
    cut.columns = static_cast<std::int64_t>(row.size());
    cut.values.insert(cut.values.end(), row.begin(), row.end());
  }
  return InputPair::of(std::move(cut),
                       {pair.changed_row() - first, cut_row(from, to, pair.neighbour_row())});
}

std::vector<InputPair> detail::simpler_pairs(const InputShape& shape, const PairCheck& check,
                                             const InputPair& pair) {
  std::vector<InputPair> simpler;
  const auto add = [&](InputPair next) {
    if (!(next == pair) && check(next)) simpler.push_back(std::move(next));
  };
  const InputTable& base = pair.base_input();
  const std::int64_t changed = pair.changed_row();
  for (auto& input : simpler_inputs(shape, base)) {
    const bool is_changed = !std::ranges::equal(input.row(changed), base.row(changed));
    if (!is_changed) add(InputPair::of(std::move(input), pair.edit()));
  }
  // Entries of the changed row: in one input, in the other, and in both by the same distance.
  const auto with = [&](std::vector<double> before, std::vector<double> after) {
    InputTable input = base;
    if (input.rows == 1) {
      input = InputTable::one_row(std::move(before));  // which may have another length
    } else {
      std::copy(before.begin(), before.end(), input.row(changed).begin());
    }
    add(InputPair::of(std::move(input), {changed, std::move(after)}));
  };
  const std::vector<double> before(pair.base_row().begin(), pair.base_row().end());
  const std::vector<double> after(pair.neighbour_row().begin(), pair.neighbour_row().end());
  for (const auto& row : simpler_rows(shape, before)) {
    with(row, after);
    if (after.size() != before.size()) continue;
    auto moved = after;
    for (std::size_t i = 0; i < row.size(); ++i) {
      // A tournament has no distances: what both inputs agree on stays so.
      const bool agrees = before[i] == after[i];
      moved[i] = agrees                        ? row[i]
                 : shape.traits().has_rounds() ? after[i]
                                               : after[i] + row[i] - before[i];
    }
    with(row, moved);
  }
  const auto lengths_and_ranks = [&](const std::vector<double>& row) {
    std::int64_t sum = 0;
    for (const double value : row) sum += rank_of(domain_of(shape), value);
    return std::pair(row.size(), sum);
  };
  if (lengths_and_ranks(after) < lengths_and_ranks(before)) with(after, before);
  if (after.size() == before.size()) {
    for (auto& row : simpler_rows(shape, after)) with(before, std::move(row));
  }
  // The change one row earlier.
  if (changed > 0) {
    InputTable input = base;
    std::swap_ranges(input.row(changed).begin(), input.row(changed).end(),
                     input.row(changed - 1).begin());
    add(InputPair::of(std::move(input), {changed - 1, after}));
  }
  return simpler;
}

std::vector<InputPair> detail::shorter_pairs(const InputShape& shape, const InputPair& pair) {
  std::vector<InputPair> shorter;
  if (shape.traits().has_rounds()) {
    for (std::int64_t r = pair.base_input().rows - 1; r >= 0 && pair.base_input().rows > 1; --r) {
      if (r == pair.changed_row()) continue;
      shorter.push_back(InputPair::of(
          without_row(pair.base_input(), r),
          {pair.changed_row() - (r < pair.changed_row() ? 1 : 0), pair.edit().values}));
    }
    return shorter;
  }
  const std::size_t values = std::min(pair.base_row().size(), pair.neighbour_row().size());
  for (std::size_t i = values; i-- > 0 && values > 1;) {
    std::vector<double> before(pair.base_row().begin(), pair.base_row().end());
    std::vector<double> after(pair.neighbour_row().begin(), pair.neighbour_row().end());
    before.erase(before.begin() + static_cast<std::ptrdiff_t>(i));
    after.erase(after.begin() + static_cast<std::ptrdiff_t>(i));
    if (before != after) shorter.emplace_back(std::move(before), std::move(after));
  }
  return shorter;
}

Result<AuditedSubject> detail::made_subject(const AuditCase& audited,
                                            const Parameters& parameters) {
  try {
    return audited.subject(parameters);
  } catch (const std::exception& failed) {
    return fail(ErrorCode::kTarget, failed.what());
  }
}

DrawnCase detail::draw_case(const AuditCase& audited, const Parameters& kept, int size,
                            ReplayStream& random) {
  const auto fields = audited.describe().parameters;
  DrawnCase drawn;
  for (int i = 0; i < kTries && !drawn.pair.is_known(); ++i) {
    drawn.parameters = draw_parameters(fields, kept, size, random);
    const auto subject = made_subject(audited, drawn.parameters);
    if (!subject && subject.error().code == ErrorCode::kTarget) break;
    if (!subject) continue;
    const auto check = [&](const InputPair& pair) { return bool(subject->check(pair)); };
    drawn.pair = draw_pair(subject->shape, check, random);
    if (!drawn.pair.is_known() && !subject->hard_pairs.empty()) {
      drawn.pair = subject->hard_pairs[below(subject->hard_pairs.size(), random)];
    }
  }
  return drawn;
}

std::vector<DrawnCase> detail::simpler_cases(const AuditCase& audited, const Parameters& kept,
                                             const DrawnCase& drawn) {
  std::vector<DrawnCase> simpler;
  const auto subject = made_subject(audited, drawn.parameters);
  for (auto& parameters :
       simpler_parameters(audited.describe().parameters, kept, drawn.parameters)) {
    const auto other = made_subject(audited, parameters);
    if (!other) {
      if (other.error().code == ErrorCode::kTarget) simpler.push_back({std::move(parameters), {}});
      continue;
    }
    if (!subject || !drawn.pair.is_known()) continue;
    auto pair = other->shape == subject->shape ? drawn.pair
                                               : cut_pair(subject->shape, other->shape, drawn.pair);
    if (!pair.is_known() || pair.differing() == 0 || !other->check(pair)) continue;
    simpler.push_back({std::move(parameters), std::move(pair)});
  }
  if (!subject || !drawn.pair.is_known()) return simpler;
  const auto check = [&](const InputPair& pair) {
    return pair.differing() > 0 && subject->check(pair);
  };
  for (auto& pair : simpler_pairs(subject->shape, check, drawn.pair)) {
    simpler.push_back({drawn.parameters, std::move(pair)});
  }
  return simpler;
}

std::vector<FieldDescription> detail::without_sizes(std::vector<FieldDescription> fields) {
  constexpr std::array<std::string_view, 5> kSizes{"arms", "actions", "horizon", "budget",
                                                   "dimension"};
  std::erase_if(fields,
                [&](const FieldDescription& field) { return contains(kSizes, field.name); });
  return fields;
}

DrawnRegret detail::draw_regret(const RegretSpace& space, int size, ReplayStream& random) {
  DrawnRegret drawn;
  drawn.parameters = draw_parameters(space.fields, space.kept, size, random);
  drawn.setting.environment = space.environment;
  const auto arms =
      space.fixed_arms ? 2 : 2 + below(1 + static_cast<std::size_t>(size) / 25, random);
  // Rates are positive; every other value lies in [0, 1].
  const bool rates = space.environment == RegretEnvironment::kTruncatedExponentialArms;
  do {
    drawn.setting.values.clear();
    for (std::size_t i = 0; i < arms; ++i) {
      const auto eighths = static_cast<double>(below(9, random));
      drawn.setting.values.push_back(rates ? eighths + 1.0 : eighths / 8.0);
    }
  } while (std::ranges::count(drawn.setting.values, drawn.setting.values[0]) ==
           static_cast<std::ptrdiff_t>(arms));
  const double part = random.uniform();
  drawn.setting.horizon = std::max<std::int64_t>(
      1, std::llround(portable_exp(part * portable_log(static_cast<double>(space.most_rounds)))));
  return drawn;
}

std::vector<DrawnRegret> detail::simpler_regrets(const RegretSpace& space,
                                                 const DrawnRegret& drawn) {
  std::vector<DrawnRegret> simpler;
  const auto& values = drawn.setting.values;
  const auto add = [&](std::vector<double> next, std::int64_t horizon) {
    const bool equal =
        std::ranges::count(next, next[0]) == static_cast<std::ptrdiff_t>(next.size());
    if (equal || (next == values && horizon == drawn.setting.horizon)) return;
    simpler.push_back({drawn.parameters, {space.environment, std::move(next), horizon}});
  };
  for (auto& parameters : simpler_parameters(space.fields, space.kept, drawn.parameters)) {
    simpler.push_back({std::move(parameters), drawn.setting});
  }
  const std::int64_t rounds = drawn.setting.horizon;
  for (const std::int64_t fewer : {std::int64_t{1}, rounds / 2, rounds - rounds / 8, rounds - 1}) {
    if (fewer >= 1 && fewer < rounds) add(values, fewer);
  }
  for (std::size_t i = 0; i < values.size() && values.size() > 2 && !space.fixed_arms; ++i) {
    auto fewer = values;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    add(std::move(fewer), rounds);
  }
  const bool rates = space.environment == RegretEnvironment::kTruncatedExponentialArms;
  const Domain domain = rates ? Domain{1.0, 9.0} : Domain{0.0, 1.0};
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const double next : simpler_entries(domain, values[i])) {
      auto rounder = values;
      rounder[i] = next;
      add(std::move(rounder), rounds);
    }
  }
  return simpler;
}

std::string parameters_text(const std::vector<KeyValue>& parameters) {
  std::string text;
  for (const auto& [key, value] : parameters) {
    text += (text.empty() ? "" : ", ") + key + " = " + value;
  }
  return text.empty() ? "the defaults" : text;
}

std::string regret_text(const DrawnRegret& drawn) {
  std::string values;
  for (const double value : drawn.setting.values) {
    values += (values.empty() ? "" : ", ") + number_text(value);
  }
  return fmt::format("{} with {} {}, {} rounds; {}", detail::value_text(drawn.setting.environment),
                     values_option(drawn.setting.environment), values, drawn.setting.horizon,
                     parameters_text(drawn.parameters));
}

std::string table_text(const InputTable& input) { return rows_text(input); }

std::string pair_text(const InputPair& pair) {
  if (!pair.is_known()) return "";
  return "D   " + rows_text(pair.base_input()) + "\n    D'  " + rows_text(pair.neighbour_input());
}

}  // namespace assay
