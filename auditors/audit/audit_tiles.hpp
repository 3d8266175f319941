// The tiles at the top of an audit's page: the verdict, the bound beside the claim, and the strength of the audit.
#pragma once

#include <optional>

#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/text/document.hpp"

namespace assay {

// Empty if no bound was certified.
doc::Tiles audit_tiles(const AuditReport& report);

// The smallest level of this quantity that the audit would have detected, if the report states it.
std::optional<double> strength_of(const AuditReport& report, const ReportedQuantity& quantity);

}  // namespace assay
