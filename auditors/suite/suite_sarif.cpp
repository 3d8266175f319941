#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/suite/internal/suite_rules.hpp"
#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/auditors/text/json.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

constexpr std::string_view kSarifSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr std::size_t kMostSarifResults =
    25000;  // of a run; code scanning refuses a file with more
constexpr std::size_t kMostOfSarifMessage = 4000;

Json sarif_text(const std::string& text) { return {{"text", text}}; }

// Doubles braces, which are placeholders in messages, and splits anything that looks like a link.
std::string sarif_message(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '{' || text[i] == '}') out += text[i];
    if (text[i] == ']' && i + 1 < text.size() && text[i + 1] == '(') out += ' ';
  }
  return out;
}

// Bytes that a relative URI may hold as they are (RFC 3986, unreserved and "/"), others as "%2B".
std::string percent_encoded(std::string_view path) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string out;
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

Json sarif_location(const SourcePlace& place) {
  return {
      {"physicalLocation",
       {{"artifactLocation", {{"uri", percent_encoded(place.file)}, {"uriBaseId", "%SRCROOT%"}}},
        {"region",
         {{"startLine", place.line},
          {"startColumn", place.column},
          {"endLine", place.line},
          {"endColumn", place.column + 1}}}}}};
}

// Identifies the failure from run to run, wherever its entry is in the file.
std::string sarif_fingerprint(const SuiteFinding& finding) {
  std::string what = finding.id + '\0' + std::string(finding.rule()) + '\0';
  if (finding.change == nullptr) what += finding.entry->claim;
  return fmt::format("{:016x}", hash_purpose(what));
}

std::string_view sarif_level(Severity severity) {
  return severity == Severity::kDeny ? "error" : severity == Severity::kWarn ? "warning" : "note";
}

// The findings of one entry by one rule.
Json sarif_result(const SuiteFindings& of_rule, const SuiteReport& report) {
  const SuiteFinding& finding = of_rule.front();
  const std::size_t rule = detail::suite_rule_of(finding.rule());
  const std::string command = finding_command(finding, report);
  std::string message = shortened(finding.id, 200) + ": " + rule_message(of_rule);
  if (!command.empty()) message += " Reproduce: " + command;
  const std::string fingerprint = sarif_fingerprint(finding);
  Json result{{"ruleId", "assay/" + std::string(detail::kSuiteRules[rule].id)},
              {"ruleIndex", static_cast<std::int64_t>(rule)},
              {"level", sarif_level(finding.severity)},
              {"message", sarif_text(sarif_message(shortened(message, kMostOfSarifMessage)))}};
  Json locations = Json::array();
  locations.push_back(sarif_location(place_below(finding, report)));
  result["locations"] = std::move(locations);
  // Code scanning reads only the second, whatever its name says.
  result["partialFingerprints"] = {{"assayFailure/v1", fingerprint},
                                   {"primaryLocationLineHash", fingerprint}};
  if (!finding.fails && finding.entry->suppressed_by) {
    Json suppressions = Json::array();
    suppressions.push_back(
        {{"kind", "external"},
         {"status", "accepted"},
         {"justification", "suppression " + shortened(*finding.entry->suppressed_by, 200)}});
    result["suppressions"] = std::move(suppressions);
  }
  return result;
}

Json sarif_rule(const detail::SuiteRule& rule) {
  return {
      {"id", "assay/" + std::string(rule.id)},
      {"name", rule.name},
      {"shortDescription", sarif_text(std::string(rule.about))},
      {"fullDescription", sarif_text(std::string(rule.about) + " " + std::string(rule.meaning))},
      {"help",
       sarif_text(std::string(rule.next) + " The message has the command that runs it again.")},
      {"defaultConfiguration", {{"level", "error"}}},
      {"properties",
       {{"tags", std::vector<std::string>{"privacy"}},
        {"precision", "very-high"},
        {"problem.severity", "error"}}}};
}

Json sarif_notification(const std::string& text) {
  return {{"level", "note"}, {"message", sarif_text(sarif_message(text))}};
}

}  // namespace

std::string to_sarif(const SuiteReport& report) {
  std::vector<SuiteFindings> findings;  // by entry and rule
  for (const SuiteFindings& of_entry : failures_of(report)) {
    for (SuiteFindings& of_rule : by_rule(of_entry)) findings.push_back(std::move(of_rule));
  }
  const std::size_t shown = std::min(findings.size(), kMostSarifResults);
  Json results = Json::array();
  for (std::size_t i = 0; i < shown; ++i) results.push_back(sarif_result(findings[i], report));
  Json rules = Json::array();
  for (const detail::SuiteRule& rule : detail::kSuiteRules) rules.push_back(sarif_rule(rule));

  Json notifications = Json::array();
  notifications.push_back(sarif_notification(suite_headline(report)));
  if (shown < findings.size()) {
    notifications.push_back(sarif_notification(fmt::format(
        "{} of {} failures are left out, the least severe: a run has at most {} results.",
        grouped(static_cast<long long>(findings.size() - shown)),
        grouped(static_cast<long long>(findings.size())),
        grouped(static_cast<long long>(kMostSarifResults)))));
  }
  for (const std::string& note : report.notes)
    notifications.push_back(sarif_notification(shortened(note, kMostOfSarifMessage)));
  Json invocation{{"executionSuccessful", !report.interrupted},
                  {"toolExecutionNotifications", std::move(notifications)}};
  if (!report.reproduce.empty()) invocation["commandLine"] = plain_text(report.reproduce);
  Json invocations = Json::array();
  invocations.push_back(std::move(invocation));

  Json driver{{"name", "Assay"}};
  if (!report.meta.version.empty()) driver["version"] = plain_text(report.meta.version);
  driver["rules"] = std::move(rules);
  Json run{{"tool", {{"driver", std::move(driver)}}}};
  // The category, by which code scanning distinguishes suites, and the number of the run.
  run["automationDetails"] = {{"id", fmt::format("assay/{}/{}/{}", shortened(report.name, 200),
                                                 shortened(report.tier, 200), report.run)}};
  run["originalUriBaseIds"] = {
      {"%SRCROOT%", {{"description", sarif_text("The folder that the suite was run in.")}}}};
  run["columnKind"] = "unicodeCodePoints";
  run["invocations"] = std::move(invocations);
  run["results"] = std::move(results);
  run["properties"] = {{"seed", std::to_string(report.seed)},
                       {"confidence", report.confidence},
                       {"alpha", report.alpha},
                       {"revision", plain_text(report.revision)}};
  Json runs = Json::array();
  runs.push_back(std::move(run));
  Json log{{"$schema", kSarifSchema}, {"version", "2.1.0"}, {"runs", std::move(runs)}};
  return json_text(log) + "\n";
}

}  // namespace assay
