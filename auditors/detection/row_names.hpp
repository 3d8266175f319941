// The rows of a table that a user names: how `assay detect` reads its arguments, for every table.
#pragma once

#include <string>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/glob.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

// Rows by name or pattern, in the table's order; all of them for no pattern. `what` is a row in words,
// `listing` what `assay list` calls the table. Errors: a word that names no row.
template <class Row>
Result<std::vector<const Row*>> rows_named(const std::vector<Row>& table,
                                           const std::vector<std::string>& patterns,
                                           const std::string& what, const std::string& listing) {
  std::vector<std::string> known;
  for (const auto& row : table) known.push_back(row.name);
  std::vector<bool> chosen(table.size(), patterns.empty());
  for (const auto& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!glob_match(pattern, table[i].name)) continue;
      chosen[i] = any = true;
    }
    if (any) continue;
    return fail(
        ErrorCode::kUnknownKey,
        is_glob(pattern)
            ? "no " + what + " matches '" + pattern + "'; `assay list " + listing + "` names them"
            : "unknown " + what + " '" + pattern + "'" + nearest_hint(pattern, known));
  }
  std::vector<const Row*> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (chosen[i]) rows.push_back(&table[i]);
  }
  return rows;
}

}  // namespace assay::detail
