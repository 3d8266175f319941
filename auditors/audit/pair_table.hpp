// Shows a pair of inputs in words and as a table: the entries that differ, and those around them.
//
// Equal consecutive rows share a line, and equal consecutive columns share a column. An entry that differs is
// written "[D -> D']". "..." stands for rows and columns that are left out. Rounds, arms and values count from 1.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"

namespace assay {

// The change from D to D': "reward of round 3 of 100: 0 -> 1"; with several entries a round, "round 17 of 100,
// arm 3: 0 -> 1", or "pull 17 of 100" of a table by pulls; of a mechanism, "value 2 of 5 of the input: 0 -> 1".
// It names up to four entries. The report must have a pair (has_pair).
std::string change_text(const AuditReport& report);

// Whether the report shows both inputs in full: those of a mechanism, if more than one value may differ.
bool shows_rows(const AuditReport& report);

// An input as `assay replay` reads it: rows between semicolons, their numbers between commas.
std::string rows_text(const InputTable& input);

struct PairTable {
  std::vector<std::string> columns;  // "round", "arm 0", "arms 1 to 4"
  std::vector<std::vector<std::string>> rows;
};
// The table of an input with several entries a round. For other inputs it is empty; stream_text() and row_text() show
// them.
// `most_columns` does not count the column of the rounds.
PairTable pair_table(const AuditReport& report, std::size_t most_columns);

}  // namespace assay
