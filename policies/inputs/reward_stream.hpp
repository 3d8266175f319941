// Checks and reads reward streams r_1..r_T in [0, 1], the private input of the audit of a bandit policy.
//
// The reward of round t is r_t, whichever arm is played.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// Errors: no reward, or a reward outside [0, 1]. The message names the round, counted from 1.
Status check_rewards(std::span<const double> rewards);

// Reads a stream from a text file, as a table of one column with a row for each round.
//   column empty: one reward per line.
//   otherwise:    comma-separated values whose first line names the columns; reads the named column.
// Lines that start with '#' are comments. "\r\n" also ends a line. Blank lines may only come last. A
// field may be in double quotes, in which "" stands for a quote. Every error names the file, the
// line and what is allowed there.
Result<InputTable> read_rewards(const std::string& path, std::string_view column = {});

}  // namespace assay
