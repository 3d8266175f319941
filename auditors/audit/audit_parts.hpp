// What the audits of cases and of external targets, and a trial of one, share.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "assay/auditors/audit/audit.hpp"
#include "assay/auditors/methods/black_box/black_box_audit.hpp"
#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/policies/external/child_process.hpp"

namespace assay::detail {

// method: "exact", "likelihood", "release", "events" or "one-run".
AuditFacts facts_of(const AuditJob& job, const std::string& method, const PrivacyLevel& claim);
void fill_meta(const Session& session, AuditReport& report);

Result<PreparedJob<AuditOutcome>> prepare_program(const AuditJob& job);

struct StartedTarget {
  std::unique_ptr<Target> target;
  bool promises_seeds = false;
  bool deterministic = false;
  std::string greeting, greeting_answer;  // of a program: the lines of both
};

// A program or plug-in as an audit of this job would play it, whatever it is held against.
struct PlayedTarget {
  InputShape shape;
  ChildLimits limits;
  BlackBoxPlan plan;
  std::function<Result<StartedTarget>(const ChildLimits&)> start;
};
Result<PlayedTarget> read_played_target(AuditJob job);

}  // namespace assay::detail
