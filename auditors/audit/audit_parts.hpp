// Code that audits of cases, audits of external targets and dry runs share.
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
  std::string greeting, greeting_answer;  // of a program: the line that was sent, and the answer
};

// A program or plug-in as an audit of this job would run it. The claim does not matter.
struct PlayedTarget {
  InputShape shape;
  ChildLimits limits;
  BlackBoxPlan plan;
  std::function<Result<StartedTarget>(const ChildLimits&)> start;
};
Result<PlayedTarget> read_played_target(AuditJob job);

}  // namespace assay::detail
