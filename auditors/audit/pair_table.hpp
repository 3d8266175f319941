// A pair of inputs in words and as a table: which entry of which round differs, and what is around it.
//
// Rows that read alike and follow each other share a line, columns that read alike share one, and the
// entries that differ read "[old -> new]". What is left out reads "...". Rounds, arms and values count
// from 1.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"

namespace assay {

// "reward of round 3 of 100: 0 -> 1"; "round 17 of 100, arm 3: 0 -> 1", of an input with several entries
// a round, or "pull 17 of 100", of a table by pulls; "value 2 of 5 of the input: 0 -> 1", of a mechanism.
// Several entries are named, up to four. The report has a pair (has_pair).
std::string change_text(const AuditReport& report);

// Whether both inputs are written out: of a mechanism, where more than one value may differ.
bool shows_rows(const AuditReport& report);

struct PairTable {
  std::vector<std::string> columns;  // "round", "arm 0", "arms 1 to 4"
  std::vector<std::vector<std::string>> rows;
};
// Of inputs with several entries a round; others have no rows here (stream_text and row_text do).
// `most_columns`: beside that of the rounds.
PairTable pair_table(const AuditReport& report, std::size_t most_columns);

}  // namespace assay
