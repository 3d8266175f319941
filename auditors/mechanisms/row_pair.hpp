// Two neighbouring inputs of a mechanism, as rows of numbers: what they have to be, where a search
// for the worst of them draws from, and how a file holds them.
//
// Distances are computed in doubles and rounded to nearest, so that 0.1 and 1.1 are 1 apart, as
// written. They may exceed the limit by half an ulp of it; the errors of every exact law are larger.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// The row of two neighbouring inputs. Errors name the entry, counted from 0 as in a JSON pointer: "/input/1/3" is the fourth of the second
// row. All of them: rows of different lengths, no entry, rows that are equal.
Status every_entry_moves_at_most(const InputPair& pair, double limit);
Status one_entry_moves_at_most(const InputPair& pair, double limit);

enum class RowNorm { kL1, kL2 };
double distance(const InputPair& pair, RowNorm norm);
Status distance_at_most(const InputPair& pair, RowNorm norm, double limit);

// A row as the input that a mechanism takes. Errors: an entry that is not an integer of magnitude at
// most 2^53, a row of several entries where one is wanted.
template <class Input>
class RowInput;

template <>
class RowInput<std::span<const double>> {
 public:
  static Result<RowInput> create(std::span<const double> row);
  std::span<const double> view() const { return values_; }

 private:
  std::vector<double> values_;
};

template <>
class RowInput<std::span<const std::int64_t>> {
 public:
  static Result<RowInput> create(std::span<const double> row);
  std::span<const std::int64_t> view() const { return values_; }

 private:
  std::vector<std::int64_t> values_;
};

template <>
class RowInput<double> {
 public:
  static Result<RowInput> create(std::span<const double> row);
  double view() const { return value_; }

 private:
  double value_ = 0.0;
};

template <>
class RowInput<std::int64_t> {
 public:
  static Result<RowInput> create(std::span<const double> row);
  std::int64_t view() const { return value_; }

 private:
  std::int64_t value_ = 0;
};

// n entries within `spread` of 0, equal a third of the time; each moves by -limit, 0 or limit.
InputPair random_moves(std::int64_t n, double spread, double limit, ReplayStream& random);

// Two lines of numbers, separated by commas or spaces; lines that start with '#' are comments.
// Errors: a file that cannot be read, a word that is no number, fewer or more lines than two.
Result<InputPair> read_row_pair(const std::string& path);

}  // namespace assay
