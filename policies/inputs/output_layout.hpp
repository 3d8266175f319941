// The positions of the parts of one output, as a target reports it and as memory holds it.
//
// A run reports, in the order in which it makes them:
//   in each round   its actions (one; for a duel two; for a mechanism none), then its numbers (for a
//                   mechanism one: its t-th number is round t)
//   at the end      the recommendation (best-arm), then the estimates
// If the shape allows early stops, a run may have fewer rounds. The length of the output determines their number S,
// since
//     length = S x stride + tail.                                                              (1)
//
// In memory all outputs of a shape have one width, so that an entry has one meaning. The rounds after a
// stop hold kNoAction and NaN, and one more entry, the last, holds S. Both forms hold the same
// information: by (1) S follows from either, and with it the position of every part.
//
// Threads: values. Cost: O(1), except for the lists of entries.
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
  std::int64_t rounds;           // at most; for a mechanism its numbers
  std::int64_t actions;          // of a round
  std::int64_t numbers;          // of a round
  std::int64_t recommendations;  // 1 or 0
  std::int64_t estimates;
  bool stops;
  bool hides_action;  // whether the action of the changed round is hidden from the adversary

  std::int64_t stride() const { return actions + numbers; }
  std::int64_t tail() const { return recommendations + estimates; }
  std::int64_t longest() const { return rounds * stride() + tail(); }  // of a report
  std::int64_t width() const { return longest() + (stops ? 1 : 0); }
  // Whether an output has only the parts of the kind itself.
  bool is_plain() const;
  bool tells_numbers() const { return numbers > 0 || estimates > 0; }

  // The part that an entry in memory holds.
  bool is_action(std::int64_t entry) const;
  bool is_number(std::int64_t entry) const;
  std::string name(std::int64_t entry) const;  // "action of round 3", "estimate 1"

  // Indices in memory: of actions and the recommendation; of numbers and estimates.
  std::vector<std::size_t> action_entries() const;
  std::vector<std::size_t> number_entries() const;

  // S, from an output in memory.
  std::int64_t played(std::span<const double> output) const {
    return stops ? static_cast<std::int64_t>(output.back()) : rounds;
  }
};

// Checks one output in memory: its width, S, and that its actions are among the arms. The error names the
// entry, for a plain shape by its number, counted from 1.
Status check_output(const InputShape& shape, std::span<const double> output);
Status check_output(const OutputLayout& layout, std::span<const double> output);

// Converts a report to its form in memory. Errors: a length that no S has, and those of check_output.
Result<std::vector<double>> laid_out(const InputShape& shape, std::span<const double> told);
// Converts a form in memory back to a report.
std::vector<double> told_of(const InputShape& shape, std::span<const double> output);

// Overwrites the rounds after a stop in an output of the shape's width. Does nothing if the output does not
// state S.
void blank_unplayed(const OutputLayout& layout, std::span<double> output);

}  // namespace assay
