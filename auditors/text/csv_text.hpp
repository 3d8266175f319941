// Lines of CSV (RFC 4180 with LF) that start with '#' are comments.
#pragma once

#include <string>

namespace assay::detail {

// Quotes a text if a comma, a quote or a leading '#' in it would be read as something else.
std::string csv_cell(const std::string& text);

std::string csv_comment(const std::string& text);

}  // namespace assay::detail
