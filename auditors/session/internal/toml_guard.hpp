// What a TOML file may not hold although it is read by toml++ 3.3.0: text that takes that parser to
// steps that C++ does not define, or through the end of the stack. No file of ours needs any of it.
//   - A character outside ASCII where TOML has none, outside strings and comments, and any string of
//     several lines: is_non_ascii_horizontal_whitespace reaches __builtin_unreachable.
//   - A table header whose name does not begin as one, "[{step]]": parse_key assumes that it does.
//   - Brackets that do not match, "[}": parse_value assumes that no value begins with one.
//   - Keys of three or more parts: nested tables, destroyed by recursion.
// Bytes that are not UTF-8 are refused too. The rest, its own errors included, is for toml++.
#pragma once

#include <string>
#include <string_view>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

Status check_toml_text(std::string_view text, const std::string& path);

}  // namespace assay
