// Reads TOML files.
#pragma once

// The library of Debian contains the compiled parser.
#define TOML_HEADER_ONLY 0
#include <toml++/toml.h>

#include <cstddef>
#include <string>

#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

// The error of a file that cannot be read begins with `what`, as in "the chain". Errors name file and line: a
// file of more than `most` bytes, text that is not TOML, text that toml_guard.hpp rules out.
Result<toml::table> read_toml(const std::string& path, const std::string& what,
                              std::size_t most = std::size_t{4} << 20);
Result<toml::table> parse_toml(const std::string& text, const std::string& path);

inline long line_of(const toml::node& node) { return static_cast<long>(node.source().begin.line); }

}  // namespace assay::detail
