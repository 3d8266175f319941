// What the reader of an audit report can do next: for each outcome a sentence or two, with the option or command that
// does it.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"

namespace assay {

std::vector<std::string> next_steps(const AuditReport& report);

}  // namespace assay
