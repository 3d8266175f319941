// A report as one self-contained HTML page: no scripts,
// no external references, figures as inline SVG.
//
// The page opens with the verdict and the certified intervals, then shows the privacy profile, the
// trade-off curve, the loss histogram and the worst pair round by round, each with a caption that
// states parameters, confidence and samples, and a table of its numbers. It reads in print, on a
// narrow screen, without colour and by a screen reader. Every string is escaped. The page is also
// well-formed XML. Only the last section, from `report.meta`, differs between runs of one request.
#pragma once

#include <optional>
#include <string>

#include "assay/auditors/engine/audit_report.hpp"

namespace assay {

// `error`: of what was audited, after the rest was certified.
std::string to_html(const AuditReport& report, const std::optional<Error>& error = {});

}  // namespace assay
