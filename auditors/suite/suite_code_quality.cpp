#include <fmt/format.h>

#include <string>
#include <string_view>

#include "assay/auditors/suite/internal/suite_rules.hpp"
#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/auditors/text/json.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostOfDescription = 2000;  // bytes

// GitLab's five levels, of which two are for failures that do not fail the run.
std::string_view quality_severity(const SuiteFinding& finding) {
  if (!finding.fails) return finding.severity == Severity::kAllow ? "info" : "minor";
  const bool is_leak = finding.change == nullptr && finding.entry != nullptr &&
                       finding.entry->status == EntryStatus::kViolated;
  return is_leak ? "blocker" : "critical";
}

Json quality_issue(const SuiteFindings& of_rule, const SuiteReport& report) {
  const SuiteFinding& finding = of_rule.front();
  const SourcePlace place = place_below(finding, report);
  const std::string rule(detail::kSuiteRules[detail::suite_rule_of(finding.rule())].id);
  const std::string identity = finding.id + '\0' + std::string(finding.rule());
  return {{"description", shortened(shortened(finding.id, 200) + ": " + rule_message(of_rule),
                                    kMostOfDescription)},
          {"check_name", "assay/" + rule},
          {"fingerprint", fmt::format("{:016x}", hash_purpose(identity))},
          {"severity", quality_severity(finding)},
          {"location", {{"path", plain_text(place.file)}, {"lines", {{"begin", place.line}}}}}};
}

}  // namespace

std::string to_code_quality(const SuiteReport& report) {
  Json issues = Json::array();
  for (const SuiteFindings& of_entry : failures_of(report)) {
    for (const SuiteFindings& of_rule : by_rule(of_entry)) {
      issues.push_back(quality_issue(of_rule, report));
    }
  }
  return json_text(issues) + "\n";
}

}  // namespace assay
