// The layout of paragraphs and tables of parameters in `assay explain`.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay::cli {

inline constexpr std::size_t kExplainWidth = 80;

// Filled lines, indented.
inline std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
  for (const auto& line : detail::fill(detail::words_of(text), kExplainWidth - indent)) {
    out += (out.empty() ? "" : "\n") + std::string(indent, ' ') + line;
  }
  return out;
}

inline void add_parameters(const std::vector<FieldDescription>& fields, std::string& out) {
  for (const auto& field : fields) {
    out += fmt::format("  {:<12} {:<2} {:<18} default {:<10} {}\n", field.name, field.symbol,
                       field.allowed, field.default_value, field.help);
  }
}

}  // namespace assay::cli
