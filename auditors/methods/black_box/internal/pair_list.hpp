// Code that the makers of neighbouring inputs share: a list of different pairs, the rows in which a change is tried,
// and the allowed changes of a mechanism's row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/contains.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay::detail {

using Row = std::vector<double>;

// Different pairs, up to the requested number.
class Collected {
 public:
  explicit Collected(std::size_t most) : most_(most) {}
  bool full() const { return pairs_.size() >= most_; }
  void add(InputPair pair) {
    if (full() || pair.differing() == 0) return;
    if (!contains(pairs_, pair)) {
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

// Rows in which a change is tried, from 0: the first ones, the first after a pull of each arm, the middle,
// and powers of two.
std::vector<std::int64_t> change_rows(const InputShape& shape);

Edit row_of(const InputTable& table, std::int64_t row);

// Within the domain, if there is one.
double clamped(const InputShape& shape, double value);
Row clamped(const InputShape& shape, Row row);

// The ends of the domain of rewards, losses or a mechanism's values, or 0 and 1 if it is not bounded.
std::pair<double, double> ends_of(const InputShape& shape);
// Values from one end to the other, no two alike if the domain allows it; that at `but` is at the low end and has no
// part in the spread.
Row spread_row(const InputShape& shape, std::optional<std::size_t> but = {});
// The end that is farther from the value.
double far_from(const InputShape& shape, double value);

// Adds the changes of a mechanism's base that treat the value at `at` differently from the others.
void add_changes_of_row(const InputShape& shape, const Row& base, std::size_t at, Collected& pairs);

// The pairs without those that rounding moved too far.
std::vector<InputPair> neighbours_of(const InputShape& shape, std::vector<InputPair> pairs);

}  // namespace assay::detail
