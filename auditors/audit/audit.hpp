// The job of an audit of a case, of a program or shared library, or of recorded runs.
#pragma once

#include <optional>

#include "assay/auditors/audit/audit_job.hpp"
#include "assay/auditors/engine/audit_case.hpp"
#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/session/session.hpp"

namespace assay {

struct AuditOutcome {
  AuditReport report;
  std::optional<Error> target_error;  // the target failed; the report has what was certified before
};

// Reads the inputs, and starts nothing. Errors: a case, a claim or an input that does not fit, and an option
// that has no effect on this audit. They name it.
Result<PreparedJob<AuditOutcome>> prepare(const AuditJob& job);

// For a case that is in no list (engine/custom_case.hpp), while the job names none. Any thread may call it. The
// case must outlive the prepared job.
Result<PreparedJob<AuditOutcome>> prepare(const AuditJob& job, const AuditCase& audit_case);

}  // namespace assay
