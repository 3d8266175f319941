// The job of `assay try`, a dry run. It runs a program or plug-in ten times, on both inputs of the pair with which an
// audit would begin, and shows the outputs. It certifies nothing.
//
// It then sends the same ten messages to a fresh process, with inputs at the ends of the domain after them, and sends
// them with other seeds and in another order to further processes. What follows from the answers is in try_findings.hpp.
#pragma once

#include <functional>

#include "assay/auditors/audit/audit_job.hpp"
#include "assay/auditors/audit/try_report.hpp"
#include "assay/auditors/session/session.hpp"

namespace assay {

// Of the options of an audit, those make a difference that say what the target is and how to run it. The others are
// checked, and are part of the command with which the report ends.
struct TryJob : JobOptions {
  using Facts = AuditFacts;

  AuditJob audit;

  static void fields(const VisitOption<TryJob>& visit);
};

// Reads the input files, and starts no program. If the target fails later, or if the dry run is interrupted, the report
// ends with the error. Errors: no target, or options that an audit of the target would refuse.
Result<PreparedJob<TryReport>> prepare(const TryJob& job);

}  // namespace assay
