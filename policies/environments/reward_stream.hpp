// Reward streams: the private input r_1..r_T of a bandit audit, checked, and read from files.
//
// The reward of round t is r_t whichever arm is played. Every value lies in [0, 1].
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

using RewardStream = std::vector<double>;

// Errors: an empty stream; the first value that is not a finite number in [0, 1], by its round.
Status check_rewards(std::span<const double> rewards);

// Reads one reward per line or, with a column, that column of a comma-separated file whose first
// line names the columns. Lines that start with '#' and blank lines at the end are skipped; CRLF is
// fine. Errors, with file and line: a file that cannot be read, no rewards, a missing, repeated or
// unnamed column, a row with another number of fields, a value that is not a finite number in [0,
// 1].
Result<RewardStream> read_rewards(const std::string& path, const std::string& column);

}  // namespace assay
