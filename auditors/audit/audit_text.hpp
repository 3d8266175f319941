// A report for the terminal: the verdict first, then the quantities, the pair and what they rest on, in
// aligned blocks; the ledger of alpha last.
//
// Plain ASCII layout, no box drawing. Meaning never rests on colour: colour only repeats words.
// Lines keep to `width` columns except where one word (a path, a digest) is longer; the reproduce
// command is broken with backslashes, so that it can be pasted. Rounds count from 1, arms from 0.
#pragma once

#include <string>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/text/text_layout.hpp"

namespace assay {

// Deterministic, and independent of `report.meta`. Ends with a newline.
std::string to_text(const AuditReport& report, TextStyle style = {});

}  // namespace assay
