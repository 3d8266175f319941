// What the audits of cases and of external targets share.
#pragma once

#include <string>

#include "assay/auditors/jobs/audit.hpp"
#include "assay/mechanisms/accounting/guarantee.hpp"

namespace assay::detail {

// method: "exact", "likelihood", "release", "events" or "one-run".
AuditFacts facts_of(const AuditJob& job, const std::string& method, const PrivacyLevel& claim);
void fill_meta(const Session& session, AuditReport& report);

Result<PreparedJob<AuditOutcome>> prepare_program(const AuditJob& job);

}  // namespace assay::detail
