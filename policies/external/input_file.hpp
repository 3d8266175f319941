// Reads the private input of a target from a file.
#pragma once

#include <string>

#include "assay/policies/external/target.hpp"

namespace assay {

// Each line is a row with its values separated by commas; the values of a mechanism may also be one per line.
// Lines that start with '#' are comments. Errors name the file, the line and what is allowed.
Result<InputTable> read_input_table(const std::string& path, const InputShape& shape);

}  // namespace assay
