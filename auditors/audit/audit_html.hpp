// A report as one self-contained HTML page, with figures as inline SVG: no scripts, no external references.
//
// The page opens with the verdict and the certified intervals. The privacy profile, the trade-off curve, the
// loss histogram and the worst pair round by round follow, each with a caption that states parameters,
// confidence and samples, and with a table of its numbers. The page is readable in print, on a narrow screen,
// without colour and by a screen reader. Every string is escaped. The page is well-formed XML. Only its last
// section, which shows `report.meta`, differs between runs of one request.
#pragma once

#include <optional>
#include <string>

#include "assay/auditors/engine/audit_report.hpp"

namespace assay {

// `error`: the error of a target that failed after the rest was certified.
std::string to_html(const AuditReport& report, const std::optional<Error>& error = {});

}  // namespace assay
