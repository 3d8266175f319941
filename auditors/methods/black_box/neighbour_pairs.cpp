// Neighbours of a given input, and of a pair that leaks.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "assay/auditors/methods/black_box/input_pairs.hpp"
#include "assay/auditors/methods/black_box/internal/pair_list.hpp"
#include "assay/mechanisms/core/contains.hpp"

namespace assay {
namespace {

using detail::Collected;
using detail::Row;

void set_row(InputTable& table, std::int64_t row, std::span<const double> values) {
  std::copy(values.begin(), values.end(), table.row(row).begin());
}

// Refines a pair of streams: the tie shifted by one, before and after the change; the change in another
// row; another change of the row; the rows before or after it reversed.
void refine_rounds(const InputShape& shape, const InputPair& best, Collected& pairs) {
  const InputTable& base = best.base_input();
  const std::int64_t row = best.changed_row(), rows = base.rows;
  const Row base_row(best.base_row().begin(), best.base_row().end());
  const Row neighbour_row(best.neighbour_row().begin(), best.neighbour_row().end());
  std::vector<std::int64_t> others;
  for (const std::int64_t step : {std::int64_t{1}, shape.arms, 2 * shape.arms, std::int64_t{4},
                                  std::int64_t{16}, rows / 4, rows / 2}) {
    for (const std::int64_t other : {row - step, row + step}) {
      const bool is_new = !contains(others, other);
      if (other >= 0 && other < rows && other != row && is_new) others.push_back(other);
    }
  }
  const auto turned = [&](std::int64_t first, std::int64_t end) {
    InputTable table = base;
    for (std::int64_t r = first; r < end; ++r) {
      if (r != row) set_row(table, r, opposite_row(shape, base.row(r)));
    }
    pairs.add(InputPair::of(std::move(table), {row, neighbour_row}));
  };
  const auto add_at = [&](std::int64_t other) {
    // A tie shifted by one more, or one less.
    turned(other, other + 1);
    // Exchanges the changed row with another one.
    InputTable table = base;
    set_row(table, row, base.row(other));
    set_row(table, other, base_row);
    pairs.add(InputPair::of(std::move(table), {other, neighbour_row}));
    // The other row changes instead; and once more with this row changed in both inputs.
    const Row turned_row = opposite_row(shape, base.row(other));
    pairs.add({best.base(), {other, turned_row}});
    InputTable stays = base;
    set_row(stays, row, neighbour_row);
    pairs.add(InputPair::of(std::move(stays), {other, turned_row}));
  };
  for (std::size_t i = 0; i < std::min<std::size_t>(others.size(), 2); ++i) add_at(others[i]);
  pairs.add({best.base(), {row, opposite_row(shape, base_row)}});
  turned(row + 1, rows);
  turned(0, row);
  turned(row + 1, std::min(rows, row + 1 + (rows - row) / 2));
  for (std::size_t i = 2; i < others.size(); ++i) add_at(others[i]);
}

// Refines a pair of a mechanism's rows: the other values nearer and farther, all of them moved, the same change
// of another value, and the other direction.
void refine_row(const InputShape& shape, const InputPair& best, Collected& pairs) {
  const Row base_row(best.base_row().begin(), best.base_row().end());
  const Row neighbour_row(best.neighbour_row().begin(), best.neighbour_row().end());
  const bool counted = base_row.size() != neighbour_row.size();
  const auto at = static_cast<std::size_t>(best.first_changed());
  const auto add = [&](Row from, Row to) {
    InputPair pair(detail::clamped(shape, std::move(from)), detail::clamped(shape, std::move(to)));
    if (relation_of(shape, pair) == relation_of(shape, best) && check_neighbours(shape, pair)) {
      pairs.add(std::move(pair));
    }
  };
  const auto shifted = [&](double own, double rest) {
    const auto by = [&](Row row) {
      for (std::size_t i = 0; i < row.size(); ++i) row[i] += i == at ? own : rest;
      return row;
    };
    add(by(base_row), by(neighbour_row));
  };
  if (!counted) {
    for (const double step : {1.0, 2.0, 4.0, 0.5, 8.0}) {
      if (base_row.size() > 1) {
        shifted(0.0, step);
        shifted(0.0, -step);
      }
      shifted(step, step);
      shifted(-step, -step);
    }
    Row back = base_row;
    for (std::size_t i = 0; i < back.size(); ++i) back[i] -= neighbour_row[i] - base_row[i];
    add(base_row, std::move(back));
    for (const std::size_t other : {base_row.size() / 2, base_row.size() - 1}) {
      Row from = base_row, to = neighbour_row;
      std::swap(from[at], from[other]);
      std::swap(to[at], to[other]);
      add(std::move(from), std::move(to));
    }
    return;
  }
  for (const double factor : {2.0, 0.5, -1.0, 0.0}) {
    Row from = base_row, to = neighbour_row;
    for (double& value : from) value *= factor;
    for (double& value : to) value *= factor;
    add(std::move(from), std::move(to));
  }
  const Row& larger = base_row.size() > neighbour_row.size() ? base_row : neighbour_row;
  for (std::size_t gone : {larger.size() - 1, larger.size() / 2, std::size_t{0}}) {
    Row fewer = larger;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(gone));
    add(larger, std::move(fewer));
  }
}

// The lead of the largest column sum over the second up to each row; for a stream, the distance of its sum from that
// of the middle of the domain, as of ones over zeros.
std::vector<double> gaps_of(const InputShape& shape, const InputTable& table) {
  const auto [low, high] = detail::ends_of(shape);
  const double middle = 0.5 * (low + high);
  const auto columns = static_cast<std::size_t>(table.columns);
  std::vector<double> sums(columns, 0.0), gaps;
  for (std::int64_t r = 0; r < table.rows; ++r) {
    const auto values = table.row(r);
    double first = -HUGE_VAL, second = -HUGE_VAL;
    for (std::size_t c = 0; c < columns; ++c) {
      sums[c] += columns == 1 ? values[c] - middle : values[c];
      if (sums[c] > first)
        second = std::exchange(first, sums[c]);
      else
        second = std::max(second, sums[c]);
    }
    gaps.push_back(columns == 1 ? std::fabs(first) : first - second);
  }
  return gaps;
}

// All rows, unless there are very many: then in turns early ones, those by which two columns are tied, and those
// that move the sums farthest.
std::vector<std::int64_t> rows_beside(const InputShape& shape, const InputTable& base,
                                      std::size_t most) {
  const auto gaps = gaps_of(shape, base);
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
  const std::vector<std::int64_t> lists[] = {detail::change_rows(shape), first_by(gaps),
                                             first_by(moves)};
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < most; ++i) {
    for (const auto& list : lists) {
      if (i < list.size() && !contains(rows, list[i])) {
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
    if (replacements.size() < kMostReplacements && !contains(replacements, row)) {
      replacements.push_back(std::move(row));
    }
  };
  for (const auto& pair : structural_pairs(shape, 12)) {
    replace_by(pair.neighbour_row());
    replace_by(pair.base_row());
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
    if (!contains(places, at)) places.push_back(at);
  }
  if (shape.adds_or_removes() && base.columns < shape.columns()) {
    const bool bounded = shape.domain && shape.domain->bounded();
    for (const double value :
         {bounded ? shape.domain->high : 1.0, bounded ? shape.domain->low : 0.0,
          bounded ? 0.5 * (shape.domain->low + shape.domain->high) : -1.0}) {
      Row more = row;
      more.push_back(detail::clamped(shape, value));
      pairs.add({row, std::move(more)});
    }
    return;
  }
  for (const std::size_t at : places) detail::add_changes_of_row(shape, row, at, pairs);
}

}  // namespace

std::vector<double> opposite_row(const InputShape& shape, std::span<const double> row) {
  std::vector<double> out(row.begin(), row.end());
  const InputKindTraits& kind = shape.traits();
  const bool bounded = shape.domain && shape.domain->bounded();
  for (std::size_t c = 0; c < out.size(); ++c) {
    const auto column = static_cast<std::int64_t>(c);
    const bool context = kind.has_contexts() && column >= shape.arms;
    const bool scaled = bounded && (context || !kind.has_contexts());
    if (kind.has_duels() && column / shape.arms == column % shape.arms) continue;
    out[c] = scaled ? shape.domain->opposite(out[c]) : (context ? 0.0 : 1.0) - out[c];
  }
  return out;
}

std::vector<InputPair> pairs_beside(const InputShape& shape,
                                    const std::shared_ptr<const InputTable>& base,
                                    std::size_t most) {
  Collected pairs(most);
  if (shape.traits().has_rounds()) {
    add_beside_rounds(shape, base, most, pairs);
  } else {
    add_beside_row(shape, *base, pairs);
  }
  return detail::neighbours_of(shape, pairs.take());
}

std::vector<InputPair> refined_pairs(const InputShape& shape, const InputPair& best,
                                     std::size_t most) {
  Collected pairs(most);
  if (shape.traits().has_rounds()) {
    refine_rounds(shape, best, pairs);
  } else {
    refine_row(shape, best, pairs);
  }
  return pairs.but(best);
}

}  // namespace assay
