// The code that `assay audit` shares with programs that audit their own class (audit_main.hpp).
#pragma once

#include "assay/auditors/audit/audit.hpp"

namespace assay::cli {

// Runs the job, writes its report as its options say, and returns the exit status.
Result<int> report_audit(const AuditJob& job, const PreparedJob<AuditOutcome>& prepared);

}  // namespace assay::cli
