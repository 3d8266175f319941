// The job of a trial: a program or plug-in is played ten times, on both inputs of a pair that an audit would
// begin with, and what was seen is shown. It certifies nothing.
//
// The same ten messages go to a fresh process, and once more with other seeds: what a fixed seed, a seed that
// is ignored or an input that is not read does to outputs is told apart from what chance does.
#pragma once

#include <functional>

#include "assay/auditors/audit/audit_job.hpp"
#include "assay/auditors/audit/try_report.hpp"
#include "assay/auditors/session/session.hpp"

namespace assay {

// Options are those of an audit of the same target that say what it is and how it is played.
struct TryJob : JobOptions {
  using Facts = AuditFacts;

  AuditJob audit;

  static void fields(const VisitOption<TryJob>& visit);
};

// Reads the inputs; starts nothing. The report of a target that fails, or of an interrupted trial, ends with
// the error. Errors: no target, or options that an audit of it would refuse.
Result<PreparedJob<TryReport>> prepare(const TryJob& job);

}  // namespace assay
