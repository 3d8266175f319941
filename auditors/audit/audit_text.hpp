// Writes the report of an audit for the terminal, in aligned blocks. The verdict comes first, then the quantities,
// the pair and the evidence, and last the ledger of alpha.
//
// The layout is plain ASCII without box drawing. Colour adds no information. No line is wider than style.width
// columns, unless one word (a path, a digest) is longer. Backslashes break the command that reproduces the report into
// lines, so that it can be pasted into a shell. Rounds count from 1, arms from 0.
#pragma once

#include <string>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

// The text is deterministic and does not depend on `report.meta`. It ends with a newline.
std::string to_text(const AuditReport& report, TextStyle style = {});

}  // namespace assay
