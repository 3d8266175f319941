// Readers of private inputs: loss sequences, the losses l_1..l_T in [0, 1]^K of K experts, for audits with
// full information; reward tables, for best-arm identification; and preference sequences, for duels. A row
// of the table is a round, or a pull of each arm.
#pragma once

#include <string>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

// Reads losses. Each line is a round, with its K losses separated by commas; the first line fixes K >= 2. Lines that
// start with '#' are comments. "\r\n" also ends a line. Blank lines may only come last. Every error names the file, the
// line and what is allowed there.
Result<InputTable> read_losses(const std::string& path);
// The same for rewards, with a column for each arm.
Result<InputTable> read_reward_table(const std::string& path);
// The same for outcomes, each 0 or 1: column K i + j states whether arm i beats arm j. check_input checks
// that each row is a tournament.
Result<InputTable> read_outcomes(const std::string& path);

}  // namespace assay
