// Writes CSV (RFC 4180 with LF). Lines that start with '#' are comments.
#pragma once

#include <string>

namespace assay::detail {

// The text as a cell. It is quoted if a comma, a quote or a leading '#' would be misread.
std::string csv_cell(const std::string& text);

std::string csv_comment(const std::string& text);

}  // namespace assay::detail
