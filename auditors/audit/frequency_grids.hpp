// How often each action or value occurs on both inputs of an audit, as pictures and as tables. Empty without data.
#pragma once

#include <optional>
#include <string>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/text/document.hpp"

namespace assay {

// The actions by round. A frame marks those that the event reads, or else the witness.
doc::DrawnGrid action_grid(const AuditReport& report);
doc::Table action_table(const AuditReport& report);
// The values of the number that differs most, if they are few; number_figure() has the others.
doc::DrawnGrid value_grid(const AuditReport& report);
// "Estimates from 120 and 136 runs, which certify nothing: ", or "Exact probabilities: ".
std::string frequencies_source(const OutputFrequencies& seen);

}  // namespace assay
