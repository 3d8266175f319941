// The job of `assay audit`: audits a case, a program, a shared library, or recorded runs. session.hpp shows how to
// run it.
#pragma once

#include <optional>

#include "assay/auditors/audit/audit_job.hpp"
#include "assay/auditors/engine/audit_case.hpp"
#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/session/session.hpp"

namespace assay {

struct AuditOutcome {
  AuditReport report;
  // If the target failed: the error. The report has everything that was certified before.
  std::optional<Error> target_error;
};

// Reads the input files, and starts no program. Errors: a case, a claim or an input that does not fit, and an option
// that has no effect on this audit. The message names the cause.
Result<PreparedJob<AuditOutcome>> prepare(const AuditJob& job);

// Prepares the audit of a case that is in no list, such as one of engine/custom_case.hpp. The job must not name a case
// or a target. The case must outlive the prepared job. Threads: any thread may call it.
Result<PreparedJob<AuditOutcome>> prepare(const AuditJob& job, const AuditCase& audit_case);

}  // namespace assay
