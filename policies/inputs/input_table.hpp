// The private input of an audit is a table of numbers with a row for each round. This header defines the
// shape of a table, tables, and pairs of tables that differ in one row.
//
// The kind determines the layout of the table and of the output that the adversary sees (input_kind.hpp). A shape may
// also add numbers in each round and estimates at the end to the output, and let a run stop early
// (output_layout.hpp). Actions count from 0.
// Threads: values. A base that several pairs share is never written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_kind.hpp"
#include "assay/policies/inputs/neighbours.hpp"

namespace assay {

// The largest number of values in an input table, and in an output. An audit holds dozens of tables.
inline constexpr std::int64_t kMostInputNumbers = 4'000'000;

struct InputShape {
  InputKind kind = InputKind::kBandit;
  std::int64_t arms = 2;       // K; unused by a mechanism
  std::int64_t horizon = 100;  // T; unused by a mechanism
  std::int64_t dimension = 1;  // d, contextual only
  std::int64_t inputs = 1;     // values in the input of a mechanism; mechanism only
  std::int64_t outputs = 1;    // numbers in its output; mechanism only
  // Rules for inputs that the user adds to those of the kind. They are not among the fields.
  std::optional<Domain> domain = {};
  std::optional<Neighbours> neighbours = {};

  bool stops = false;        // a run may end before round T; of a mechanism, before its last number
  std::int64_t numbers = 0;  // reported in each round besides the action; 0 for a mechanism
  std::int64_t estimates = 0;  // numbers reported at the end; 0 for a mechanism

  static void fields(auto&& visit) {
    using C = InputShape;
    visit(field("kind", &C::kind, Range{}, "", "kind of the target"));
    visit(field("arms", &C::arms, Range{2, 1024}, "K", "number of actions"));
    visit(field("horizon", &C::horizon, Range{1, 1e6}, "T", "rounds of a run"));
    visit(field("dimension", &C::dimension, Range{1, 4096}, "d", "entries of a context"));
    visit(field("inputs", &C::inputs, Range{1, 1e6}, "", "values of a mechanism's input"));
    visit(field("outputs", &C::outputs, Range{1, 1e6}, "", "numbers of a mechanism's output"));
    visit(
        field("stops", &C::stops, Range{}, "", "a run may end early, and the adversary sees when"));
    visit(field("numbers", &C::numbers, Range{0, 1024}, "", "numbers reported in each round"));
    visit(field("estimates", &C::estimates, Range{0, 1e6}, "", "numbers reported at the end"));
  }

  // Checks that input and output have at most kMostInputNumbers numbers, and that the kind allows the domain and the
  // neighbours. Errors name the sizes, or what the kind allows.
  Status check() const;
  bool adds_or_removes() const;  // whether an input may have one value fewer than `inputs`

  // The names of fields() that matter for this shape: those of the kind, and stops, numbers and estimates if they do
  // not have their defaults.
  std::vector<std::string_view> used_fields() const;

  const InputKindTraits& traits() const { return traits_of(kind); }
  std::int64_t rows() const;     // of the input
  std::int64_t columns() const;  // of the input
  std::int64_t width() const;    // doubles that an output takes in memory
  friend bool operator==(const InputShape&, const InputShape&) = default;
};

// A table, stored row by row: values[row * columns + column]. Rows and columns count from 0.
struct InputTable {
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  std::vector<double> values;

  static InputTable zeros(std::int64_t rows, std::int64_t columns) {
    return {rows, columns, std::vector<double>(static_cast<std::size_t>(rows * columns), 0.0)};
  }
  static InputTable column(std::vector<double> values) {
    return {static_cast<std::int64_t>(values.size()), 1, std::move(values)};
  }
  static InputTable one_row(std::vector<double> values) {
    return {1, static_cast<std::int64_t>(values.size()), std::move(values)};
  }
  std::span<const double> row(std::int64_t r) const {
    return std::span(values).subspan(static_cast<std::size_t>(r * columns),
                                     static_cast<std::size_t>(columns));
  }
  std::span<double> row(std::int64_t r) {
    return std::span(values).subspan(static_cast<std::size_t>(r * columns),
                                     static_cast<std::size_t>(columns));
  }
  friend bool operator==(const InputTable&, const InputTable&) = default;
};

// Checks the shape and every value. Rewards and losses must be in the domain, or in [0, 1] if there is none, outcomes 0
// or 1, contexts and a mechanism's values finite and in the domain. The rewards of a contextual kind are in [0, 1]. A row
// of outcomes must be a tournament: of two arms i and j exactly one wins. The error names the row and the column, counted
// from 1, or the row and the pair (i, j).
Status check_input(const InputShape& shape, const InputTable& input);

enum class Side { kBase, kNeighbour };  // D and D' of a pair of inputs

// New values for one row of a base; one more or one fewer than before if a value is added or removed.
struct Edit {
  std::int64_t row = 0;
  std::vector<double> values;
  friend bool operator==(const Edit&, const Edit&) = default;
};

// Two neighbouring inputs, which differ in one row: a base, which pairs may share, and an edit of it.
class InputPair {
 public:
  InputPair() = default;  // a pair whose inputs are not known
  InputPair(std::shared_ptr<const InputTable> base, Edit edit)
      : base_(std::move(base)), edit_(std::move(edit)) {}
  // A pair of inputs with one row each.
  InputPair(std::vector<double> base_row, std::vector<double> neighbour_row)
      : InputPair(of(InputTable::one_row(std::move(base_row)), {0, std::move(neighbour_row)})) {}
  static InputPair of(InputTable base, Edit edit) {
    return {std::make_shared<const InputTable>(std::move(base)), std::move(edit)};
  }

  const std::shared_ptr<const InputTable>& base() const { return base_; }
  const Edit& edit() const { return edit_; }
  bool is_known() const { return base_ != nullptr; }
  const InputTable& base_input() const { return *base_; }
  InputTable neighbour_input() const;  // a copy

  std::int64_t changed_row() const { return edit_.row; }
  std::span<const double> base_row() const { return base_->row(edit_.row); }
  std::span<const double> neighbour_row() const { return edit_.values; }
  // Row r of D', changed or not.
  std::span<const double> neighbour_row(std::int64_t r) const {
    return r == edit_.row ? neighbour_row() : base_->row(r);
  }
  // The number of entries that differ in the row, with an entry that only D or only D' has.
  std::int64_t differing() const;
  std::int64_t first_changed() const;  // the first column that differs, or 0 if none does

  friend bool operator==(const InputPair& a, const InputPair& b) {
    return a.edit_ == b.edit_ && a.is_known() == b.is_known() &&
           (!a.is_known() || *a.base_ == *b.base_);
  }

 private:
  std::shared_ptr<const InputTable> base_;
  Edit edit_;
};

}  // namespace assay
