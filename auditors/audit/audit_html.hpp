// Writes the report of an audit as one self-contained HTML page. Its figures are inline SVG, and it has no scripts
// and no external references.
//
// The page opens with the verdict and the certified intervals. Then come the privacy profile, the trade-off curve, the
// loss histogram and the worst pair round by round. Each figure has a caption, which states parameters, confidence and
// samples, and a table of its numbers. The page is readable in print, on a narrow screen, without colour and by a
// screen reader. Every string is escaped. The page is well-formed XML. Only its last section, which shows
// `report.meta`, differs between audits of the same request.
#pragma once

#include <optional>
#include <string>

#include "assay/auditors/engine/audit_report.hpp"

namespace assay {

// `error`: AuditOutcome::target_error, if the target failed.
std::string to_html(const AuditReport& report, const std::optional<Error>& error = {});

}  // namespace assay
