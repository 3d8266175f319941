// Files in TOML, read whole.
#pragma once

// The parser is in the distribution's library.
#define TOML_HEADER_ONLY 0
#include <toml++/toml.h>

#include <cstddef>
#include <string>

#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

// `what` it is, "the chain", begins the error of a file that cannot be read. Errors name file and line: more
// than 4 MiB, what is no TOML, what toml_guard.hpp refuses.
Result<toml::table> read_toml(const std::string& path, const std::string& what);
Result<toml::table> parse_toml(const std::string& text, const std::string& path);

inline long line_of(const toml::node& node) { return static_cast<long>(node.source().begin.line); }

}  // namespace assay::detail
