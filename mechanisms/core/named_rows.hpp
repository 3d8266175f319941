// Finds the rows of a table that a user selects by name or pattern.
#pragma once

#include <string>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/glob.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

// The nearest name; otherwise the names that begin with the same word, or all if they are few.
inline std::string near_names(const std::string& word, const std::vector<std::string>& known,
                              const std::string& listing) {
  constexpr std::size_t kFew = 16;
  std::string hint = nearest_hint(word, known);
  if (hint.find("did you mean") != std::string::npos) return hint;
  const auto begin = word.substr(0, word.find('-') + 1);  // empty without a hyphen
  std::vector<std::string> near;
  for (const auto& name : known) {
    if (!begin.empty() && name.rfind(begin, 0) == 0) near.push_back(name);
  }
  if (!near.empty() && near.size() <= kFew) return nearest_hint("", near);
  return known.size() <= kFew ? hint : "; `assay list " + listing + "` lists them";
}

// The selected rows, in the table's order; all rows if there is no pattern. `what` is the word for a row,
// `listing` is the name of the table in `assay list`, and `name` is the member with a row's name.
// Errors: a pattern that matches no row.
template <class Row, class Name>
Result<std::vector<const Row*>> rows_named(const std::vector<Row>& table,
                                           const std::vector<std::string>& patterns,
                                           const std::string& what, const std::string& listing,
                                           Name Row::*name) {
  std::vector<std::string> known;
  for (const auto& row : table) known.emplace_back(row.*name);
  std::vector<bool> chosen(table.size(), patterns.empty());
  for (const auto& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!glob_match(pattern, table[i].*name)) continue;
      chosen[i] = any = true;
    }
    if (any) continue;
    return fail(
        ErrorCode::kUnknownKey,
        is_glob(pattern)
            ? "no " + what + " matches '" + pattern + "'; `assay list " + listing + "` lists them"
            : "unknown " + what + " '" + pattern + "'" + near_names(pattern, known, listing));
  }
  std::vector<const Row*> rows;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (chosen[i]) rows.push_back(&table[i]);
  }
  return rows;
}

}  // namespace assay::detail
