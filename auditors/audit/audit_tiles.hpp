// The tiles at the top of an audit's page: the verdict, the bound beside the claim, and the strength of the audit.
#pragma once

#include <optional>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/text/document.hpp"

namespace assay {

// Empty if no bound was certified.
doc::Tiles audit_tiles(const AuditReport& report);

// The estimated strength of the audit, if it is in the unit of this quantity.
std::optional<double> strength_mark(const AuditReport& report, const ReportedQuantity& quantity);

}  // namespace assay
