#include "assay/auditors/methods/black_box/internal/pair_list.hpp"

#include <cmath>
#include <span>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/mechanisms/core/contains.hpp"

namespace assay::detail {
namespace {

// The changed values of `row`: that at `one` by own, the others by `rest`.
Row moved(const InputShape& shape, Row row, std::size_t one, double own, double rest) {
  for (std::size_t i = 0; i < row.size(); ++i) row[i] += i == one ? own : rest;
  return clamped(shape, std::move(row));
}

// The amounts that may be added to one value and to the others, the strongest for comparisons first.
std::vector<std::pair<double, double>> moves_of(const InputShape& shape) {
  const Neighbours neighbours = shape.neighbours.value_or(Neighbours{});
  const auto count = static_cast<double>(shape.inputs);
  switch (neighbours.kind) {
    case NeighbourKind::kAll:
      return {{1.0, -1.0}, {-1.0, 1.0}, {1.0, 1.0}, {-1.0, -1.0}};
    case NeighbourKind::kL2: {
      // Rounded down, so that rounding cannot bring the norm above the distance.
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

}  // namespace

std::vector<std::int64_t> change_rows(const InputShape& shape) {
  std::vector<std::int64_t> out;
  const auto add = [&](std::int64_t row) {
    if (row < shape.rows() && !contains(out, row)) {
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

Edit row_of(const InputTable& table, std::int64_t row) {
  const auto values = table.row(row);
  return {row, {values.begin(), values.end()}};
}

double clamped(const InputShape& shape, double value) {
  if (!shape.domain) return value;
  const Domain& domain = *shape.domain;
  return std::clamp(domain.integers ? std::floor(value) : value, domain.low, domain.high);
}

Row clamped(const InputShape& shape, Row row) {
  for (double& value : row) value = clamped(shape, value);
  return row;
}

std::pair<double, double> ends_of(const InputShape& shape) {
  if (shape.domain && shape.domain->bounded()) return {shape.domain->low, shape.domain->high};
  return {clamped(shape, 0.0), clamped(shape, 1.0)};
}

Row spread_row(const InputShape& shape, std::optional<std::size_t> but) {
  const auto [low, high] = ends_of(shape);
  Row row(static_cast<std::size_t>(shape.columns()), low);
  const std::size_t steps = row.size() - (but ? 2 : 1);
  std::size_t step = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i == but || steps == 0) continue;
    row[i] = low + static_cast<double>(step++) * ((high - low) / static_cast<double>(steps));
  }
  return clamped(shape, std::move(row));
}

double far_from(const InputShape& shape, double value) {
  const auto [low, high] = ends_of(shape);
  return value - low > high - value ? low : high;
}

void add_changes_of_row(const InputShape& shape, const Row& base, std::size_t at,
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

std::vector<InputPair> neighbours_of(const InputShape& shape, std::vector<InputPair> pairs) {
  std::erase_if(pairs, [&](const InputPair& pair) { return !check_neighbours(shape, pair); });
  return pairs;
}

}  // namespace assay::detail
