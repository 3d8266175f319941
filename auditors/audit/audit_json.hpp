// Writes the report of an audit as JSON, by the schema "assay.audit-report/2" (schemas/audit-report.schema.json).
//
// Keys come in a fixed order. Numbers are the shortest text that reads back to the same double. Infinities are
// the strings "inf" and "-inf". The seed is a string of digits, because many readers would round a 64-bit
// number. Rounds count from 1, arms from 0. Everything that may differ between two audits of the same request is
// under "meta", the last key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assay/auditors/engine/audit_report.hpp"

namespace assay {

inline constexpr std::string_view kAuditReportSchema = "assay.audit-report/2";

// The text ends with a newline. `error`: AuditOutcome::target_error, if the target failed.
std::string to_json(const AuditReport& report, const std::optional<Error>& error = {});
std::string audit_report_schema();

}  // namespace assay
