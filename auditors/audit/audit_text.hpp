// A report for the terminal, in aligned blocks: the verdict first, then the quantities, the pair and the
// evidence, and the ledger of alpha last.
//
// The layout is plain ASCII without box drawing. Colour only repeats words. No line is wider than `width`
// columns, unless one word (a path, a digest) is longer. The reproduce command is broken with backslashes, so
// that it can be pasted. Rounds count from 1, arms from 0.
#pragma once

#include <string>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

// Deterministic, and independent of `report.meta`. Ends with a newline.
std::string to_text(const AuditReport& report, TextStyle style = {});

}  // namespace assay
