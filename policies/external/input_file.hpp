// The private input of a target, read from a file.
#pragma once

#include <string>

#include "assay/policies/external/target.hpp"

namespace assay {

// One row a line, its values separated by commas; a mechanism's values may stand on one line or one a
// line. Lines that start with '#' are comments. Errors name the file, the line and what is allowed.
Result<InputTable> read_input_table(const std::string& path, const InputShape& shape);

}  // namespace assay
