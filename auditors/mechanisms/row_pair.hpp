// Two neighbouring inputs of a mechanism, as rows of numbers: the conditions on them, the
// distribution from which a search for the worst pair draws, and their format in a file.
//
// Distances are computed in doubles and rounded to nearest, so that 0.1 and 1.1 are 1 apart, as written. They may
// exceed the limit by half an ulp of it. The errors of every exact distribution are larger.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// Checks of the rows of two neighbouring inputs. Errors name the entry, counted from 0 as in a JSON pointer:
// "/input/1/3" is the fourth entry of the second row. For every check, rows of different lengths, empty rows and equal
// rows are errors, too.
Status every_entry_moves_at_most(const InputPair& pair, double limit);
Status one_entry_moves_at_most(const InputPair& pair, double limit);

enum class RowNorm { kL1, kL2 };
double distance(const InputPair& pair, RowNorm norm);
Status distance_at_most(const InputPair& pair, RowNorm norm, double limit);

// The entries of a row as reals, or as integers. Errors: an entry that is not an integer of at most 2^53 in size.
template <class Entry>
Result<std::vector<Entry>> entries_of(std::span<const double> row);
template <>
Result<std::vector<double>> entries_of(std::span<const double> row);
template <>
Result<std::vector<std::int64_t>> entries_of(std::span<const double> row);
Status check_one_entry(std::span<const double> row);

// A row as the input that a mechanism takes: a span, or one number. Errors: those of entries_of, and several entries
// where a mechanism takes one number.
template <class Input>
class RowInput {
  static constexpr bool kIsSpan = !std::is_arithmetic_v<Input>;
  using Entry = std::conditional_t<std::is_same_v<Input, double> ||
                                       std::is_same_v<Input, std::span<const double>>,
                                   double, std::int64_t>;

 public:
  static Result<RowInput> create(std::span<const double> row) {
    if constexpr (!kIsSpan) ASSAY_TRY(check_one_entry(row));
    RowInput input;
    input.entries_ = ASSAY_TRY(entries_of<Entry>(row));
    return input;
  }
  Input view() const {
    if constexpr (kIsSpan) {
      return entries_;
    } else {
      return entries_.front();
    }
  }

 private:
  std::vector<Entry> entries_;
};

// n entries within `spread` of 0, equal a third of the time; each moves by -limit, 0 or limit.
InputPair random_moves(std::int64_t n, double spread, double limit, ReplayStream& random);

// Reads two lines of numbers, which are separated by commas or spaces. Lines that start with '#' are comments.
// Errors: a file that cannot be read, a word that is not a number, fewer or more than two lines.
Result<InputPair> read_row_pair(const std::string& path);

}  // namespace assay
