// Text files of numbers: the lines that carry data, and their fields.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

struct DataLine {
  long number = 0;  // from 1, in the file
  std::string text;
};

// No comments, no byte-order mark, no blank lines at the end. Errors: a file that cannot be read; a
// blank line before data, by its number.
Result<std::vector<DataLine>> read_data_lines(const std::string& path);

// Splits at commas outside double quotes, "" for a quote inside; nothing if the quotes do not match.
std::optional<std::vector<std::string>> split_fields(std::string_view line);

}  // namespace assay::detail
