// Errors for text that toml++ 3.3.0 cannot read safely: on it the parser has undefined behaviour or overflows
// the stack. No file of Assay needs such text.
//   - A character outside ASCII that is in no string and no comment, and any string of several lines:
//     is_non_ascii_horizontal_whitespace reaches __builtin_unreachable. So that both agree on where a string is, a
//     quote may stand only where one can begin: first in its line or behind one of = , [ {.
//   - A table header without a valid first character of a name, "[{step]]": parse_key assumes one.
//   - Brackets that do not match, "[}": parse_value assumes that no value begins with one.
//   - Keys of three or more parts: recursion destroys the nested tables.
// Bytes that are not UTF-8 are an error too. toml++ checks the rest.
#pragma once

#include <string>
#include <string_view>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

Status check_toml_text(std::string_view text, const std::string& path);

}  // namespace assay
