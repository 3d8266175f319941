// What the reader of an audit report can do next: for each outcome a sentence or two, with the option or command that
// does it.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"

namespace assay {

// An audit of more runs than this gets the advice.
inline constexpr double kManyRuns = 1e7;
inline constexpr const char* kStrongerTests =
    "Small claims need very many runs. Stronger tests of the same policy: a case with exact "
    "probabilities, --method one-run, or a claim on many composed runs.";

// How the reader gave the options: "--see 2", or as keys of a suite's entry, "see = 2".
enum class StepsFor { kCommand, kSuite };

std::vector<std::string> next_steps(const AuditReport& report,
                                    StepsFor reader = StepsFor::kCommand);

// Whether the replay command is short enough for the short report.
bool has_short_replay(const AuditReport& report);

// If a target was so slow that the audit was short; or empty. It depends on the machine, as the report's `meta` does.
std::string advice_if_slow(const AuditReport& report);

}  // namespace assay
