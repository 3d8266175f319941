// What `assay audit` and a program that audits a class of its own (audit_main.hpp) share.
#pragma once

#include "assay/auditors/audit/audit.hpp"

namespace assay::cli {

// Runs the job here, writes its report where its options say; the exit status.
Result<int> report_audit(const AuditJob& job, const PreparedJob<AuditOutcome>& prepared);

}  // namespace assay::cli
