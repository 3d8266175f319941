// Reads files of contexts and rewards as private input.
//
// Each line is a round: the rewards of all K arms, then their contexts, K times d, separated by
// commas. Comments, line ends and blank lines are as in inputs/loss_sequence.hpp. Numbers are -1e100
// to 1e100.
// Threads: pure. Cost: about 150 ns a number.
#pragma once

#include <cstdint>
#include <string>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// Reads all rounds, at most kMostInputNumbers numbers. Errors: sizes out of range; an error in the file
// names the file, the line, the column and what is allowed there.
Result<InputTable> read_context_rows(const std::string& path, std::int64_t arms,
                                     std::int64_t dimension);

}  // namespace assay
