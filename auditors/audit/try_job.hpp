// The job of `assay try`, a dry run. It runs a program or plug-in ten times, on both inputs of the pair with which an
// audit would begin, and shows the outputs. It certifies nothing.
//
// It then sends the same ten messages to a fresh process, and sends them once more with other seeds. The answers show
// whether the outputs are random, whether the target fixes or ignores its seed, and whether it reads its input.
#pragma once

#include <functional>

#include "assay/auditors/audit/audit_job.hpp"
#include "assay/auditors/audit/try_report.hpp"
#include "assay/auditors/session/session.hpp"

namespace assay {

// Of the options of an audit, only those count that say what the target is and how to run it.
struct TryJob : JobOptions {
  using Facts = AuditFacts;

  AuditJob audit;

  static void fields(const VisitOption<TryJob>& visit);
};

// Reads the input files, and starts no program. If the target fails later, or if the dry run is interrupted, the report
// ends with the error. Errors: no target, or options that an audit of the target would refuse.
Result<PreparedJob<TryReport>> prepare(const TryJob& job);

}  // namespace assay
