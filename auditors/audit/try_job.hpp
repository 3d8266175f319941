// The job of a dry run: it runs a program or plug-in ten times, on both inputs of the pair with which an audit
// would begin, and shows what it saw. It certifies nothing.
//
// It sends the same ten messages to a fresh process, and sends them once more with other seeds. This separates
// chance from a fixed seed, a seed that the target ignores and an input that it does not read.
#pragma once

#include <functional>

#include "assay/auditors/audit/audit_job.hpp"
#include "assay/auditors/audit/try_report.hpp"
#include "assay/auditors/session/session.hpp"

namespace assay {

// The options are those of an audit that say what the target is and how to run it.
struct TryJob : JobOptions {
  using Facts = AuditFacts;

  AuditJob audit;

  static void fields(const VisitOption<TryJob>& visit);
};

// Reads the inputs, and starts nothing. If the target fails, or if the dry run is interrupted, the report ends
// with the error. Errors: no target, or options that an audit of the target would refuse.
Result<PreparedJob<TryReport>> prepare(const TryJob& job);

}  // namespace assay
