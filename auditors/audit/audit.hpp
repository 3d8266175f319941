// The job of an audit: of a case, of a program or shared library that is played, of recorded plays.
#pragma once

#include <optional>

#include "assay/auditors/audit/audit_job.hpp"
#include "assay/auditors/engine/audit_case.hpp"
#include "assay/auditors/engine/audit_report.hpp"
#include "assay/auditors/session/session.hpp"

namespace assay {

struct AuditOutcome {
  AuditReport report;
  std::optional<Error> target_error;  // it failed; the report holds what was certified before
};

// Reads the inputs; starts nothing. Errors: those of a case, a claim or an input that does not fit; an
// option that has no effect on this audit, by name.
Result<PreparedJob<AuditOutcome>> prepare(const AuditJob& job);

// Of a case that is in no list (engine/own_case.hpp); the job names none. Any thread, while the case lives.
Result<PreparedJob<AuditOutcome>> prepare(const AuditJob& job, const AuditCase& audit_case);

}  // namespace assay
