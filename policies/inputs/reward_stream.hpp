// Reward streams r_1..r_T in [0, 1], the private input of a bandit's audit, and their reader.
//
// The reward of round t is r_t, whichever arm is played.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// Checks at least one reward, each in [0, 1]. The error names the round, counted from 1.
Status check_rewards(std::span<const double> rewards);

// Reads a stream from a text file, as a table of one column with a row for each round.
//   column empty: one reward per line.
//   otherwise:    comma-separated values whose first line names the columns; that column is read.
// Lines that start with '#' are comments. "\r\n" also ends a line. Blank lines may only come last. A
// field may be in double quotes, in which "" stands for a quote. Every error names the file, the
// line and what is allowed there.
Result<InputTable> read_rewards(const std::string& path, std::string_view column = {});

}  // namespace assay
