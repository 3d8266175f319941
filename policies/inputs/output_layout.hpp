// Where the parts of one output stand: of what a play tells, and of what is kept of it.
//
// A play tells, in the order in which they are made:
//   of each round   its actions (one; of a duel two; of a mechanism none), then its numbers (of a
//                   mechanism one: its t-th number is round t)
//   at the end      the recommendation (best-arm), then the estimates
// A play of a shape that stops may have fewer rounds: its length tells how many, S, since
//     length = S x stride + tail.                                                              (1)
//
// In memory all outputs of a shape have one width, so that an entry has one meaning. Rounds that were
// not played hold kNoAction and NaN; then one more entry, the last, holds S. Both forms tell the same: by
// (1) S follows from either, and with it where what was told stands.
//
// Threads: values. Cost: O(1), but for the lists of entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

inline constexpr double kNoAction = -1.0;

struct OutputLayout {
  explicit OutputLayout(const InputShape& shape);

  std::int64_t arms;             // actions lie in 0, ..., arms - 1
  std::int64_t rounds;           // at most; of a mechanism its numbers
  std::int64_t actions;          // of a round
  std::int64_t numbers;          // of a round
  std::int64_t recommendations;  // 1 or 0
  std::int64_t estimates;
  bool stops;
  bool hides_action;  // that of the changed round is not seen

  std::int64_t stride() const { return actions + numbers; }
  std::int64_t tail() const { return recommendations + estimates; }
  std::int64_t longest() const { return rounds * stride() + tail(); }  // that can be told
  std::int64_t width() const { return longest() + (stops ? 1 : 0); }
  // Nothing but what the kind itself has.
  bool is_plain() const;
  bool tells_numbers() const { return numbers > 0 || estimates > 0; }

  // Of an entry in memory.
  bool is_action(std::int64_t entry) const;
  bool is_number(std::int64_t entry) const;
  std::string name(std::int64_t entry) const;  // "action of round 3", "estimate 1", "rounds played"

  // Entries in memory: actions and recommendation; numbers and estimates.
  std::vector<std::size_t> action_entries() const;
  std::vector<std::size_t> number_entries() const;

  // S of an output in memory.
  std::int64_t played(std::span<const double> output) const {
    return stops ? static_cast<std::int64_t>(output.back()) : rounds;
  }
};

// One output in memory: its width, S, actions among the arms. The error names the entry: by its number,
// counted from 1, where the shape is plain.
Status check_output(const InputShape& shape, std::span<const double> output);

// From what was told to memory. Errors: a length that no S has, and those of check_output.
Result<std::vector<double>> laid_out(const InputShape& shape, std::span<const double> told);
// And back.
std::vector<double> told_of(const InputShape& shape, std::span<const double> output);

// Writes over the rounds that were not played, whatever stands there, of an output of the shape's width;
// not where it does not say how many were.
void blank_unplayed(const OutputLayout& layout, std::span<double> output);

}  // namespace assay
