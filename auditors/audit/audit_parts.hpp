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

// A program or plug-in as an audit of this job would run it, at the first of its settings. Without a claim it is eps=1.
struct PlayedTarget {
  std::string command;       // of a program
  std::size_t settings = 1;  // of its free parameters
  InputShape shape;
  ChildLimits limits;
  BlackBoxPlan plan;
  std::function<Result<StartedTarget>(const ChildLimits&)> start;
};
Result<PlayedTarget> read_played_target(AuditJob job);

// Estimates for an audit of a target whose event is neither rare nor frequent: all the runs with which it probably sees
// a leak of the level `see` (0 if no number of runs does), and the level that it sees with so many runs (infinite if
// none).
std::int64_t runs_to_see(const PrivacyLevel& claim, Delta delta0, double see, double alpha);
double level_seen_by(const PrivacyLevel& claim, Delta delta0, std::int64_t runs, double alpha);

}  // namespace assay::detail
