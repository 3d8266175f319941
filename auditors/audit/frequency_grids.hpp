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
// The caption of number_figure() (audit_figures.hpp). The report must have such a number.
std::string number_caption(const AuditReport& report);

}  // namespace assay
