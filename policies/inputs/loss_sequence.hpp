// Loss sequences: the losses l_1..l_T in [0, 1]^K of K experts, the private input of an audit with
// full information, as they are read; reward tables, that of best-arm identification; and preference
// sequences, that of duels. A row of the table is a round, or a pull of each arm.
#pragma once

#include <string>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// One round a line, its K losses separated by commas; the first line fixes K >= 2. Lines that start with
// '#' are comments; "\r\n" ends a line as well; blank lines may only come last. Every error names
// the file, the line and what is allowed there.
Result<InputTable> read_losses(const std::string& path);
// The same of rewards, a column an arm.
Result<InputTable> read_reward_table(const std::string& path);
// The same of outcomes, each 0 or 1: column K i + j tells whether arm i beats arm j. That a row is a
// tournament, check_input tells.
Result<InputTable> read_outcomes(const std::string& path);

}  // namespace assay
