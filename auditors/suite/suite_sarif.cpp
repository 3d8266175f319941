#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

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

// The texts for each kind of failure. Rules are the same in every file, since a reader compares files by their
// results.
struct SarifRule {
  std::string_view id;
  std::string_view name;
  std::string_view about;  // one sentence
  std::string_view help;
};
constexpr std::array<SarifRule, 10> kSarifRules = {
    {{"violated", "GuaranteeViolated", "A claimed guarantee is violated.",
      "A certified lower bound of the privacy loss is above the claim of the entry, or a published claim, "
      "an account or a requirement is refuted. The bound holds at the confidence of the suite, so running "
      "it again does not make it go away. Correct the policy, its noise or its claim."},
     {"could-not-run", "CouldNotRun", "An entry could not be run.",
      "The audited program failed, or the job ended with an error, so nothing is known about the guarantee. "
      "Reproduce it by the command in the message and correct the program or its set-up."},
     {"misconfigured", "Misconfigured",
      "An entry asks for something that does not exist or does not fit.",
      "Nothing was audited. Correct the entry at the place that the message names."},
     {"weak", "Weak", "An entry would have missed a leak of the size that it should see.",
      "Nothing was refuted, but by a test too weak to tell. Give the entry more runs or time, or accept "
      "less with `see`."},
     {"inconclusive", "Inconclusive", "An entry was not decided.",
      "The run ended early, or an account lies between its bounds. Give the entry more time."},
     {"new-violation", "NewViolation", "A guarantee is violated that held in the baseline.",
      "See the rule violated. A change since the baseline caused it."},
     {"still-violated", "StillViolated", "A guarantee is violated, as it was in the baseline.",
      "A baseline does not excuse a violation. Correct it, or suppress it with a reason, an owner and a day."},
     {"weaker-bound", "WeakerBound",
      "A certified bound is weaker than the baseline's, beyond tolerance.",
      "The upper bound of a privacy loss or an error grew. Find the change that weakened it; if it is "
      "meant, update the baseline with `assay suite update` and have the difference reviewed."},
     {"lost-power", "LostPower", "The audit would see less than it did in the baseline.",
      "The smallest violation that this run would have seen grew. Give the entry more samples or time, or "
      "update the baseline if it is meant."},
     {"regressed", "Regressed",
      "An entry is slower than in the baseline, has vanished, or differs otherwise.",
      "The message says how. If it is meant, update the baseline with `assay suite update` and have the "
      "difference reviewed."}}};

std::size_t sarif_rule_of(std::string_view rule) {
  for (std::size_t i = 0; i < kSarifRules.size(); ++i) {
    if (kSarifRules[i].id == rule) return i;
  }
  return kSarifRules.size() - 1;
}

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

// A path below the working folder, or empty.
std::string path_below(const std::string& file) {
  const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
  const std::string text = path.generic_string();
  return text.empty() || text == "." || path.is_absolute() || text.compare(0, 2, "..") == 0 ? ""
                                                                                            : text;
}

// The place of the finding in a file below the working folder, which every result needs. The suite's file
// represents an included file elsewhere; its name represents the suite's file.
SourcePlace sarif_place(const SuiteFinding& finding, const SuiteReport& report) {
  const auto positive = [](std::int64_t n) { return std::max<std::int64_t>(1, n); };
  if (const std::string own = path_below(finding.place.file); !own.empty())
    return {own, positive(finding.place.line), positive(finding.place.column)};
  const bool is_suite = finding.place.file == report.file;
  std::string suite = path_below(report.file);
  if (suite.empty()) suite = std::filesystem::path(report.file).filename().string();
  if (suite.empty() || suite == "." || suite == "..") suite = "assay.toml";
  return is_suite ? SourcePlace{suite, positive(finding.place.line), positive(finding.place.column)}
                  : SourcePlace{suite, 1, 1};
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
  if (finding.change != nullptr) {
    what += finding.change->figure;
  } else {
    what += finding.entry->claim;
  }
  return fmt::format("{:016x}", hash_purpose(what));
}

std::string_view sarif_level(Severity severity) {
  return severity == Severity::kDeny ? "error" : severity == Severity::kWarn ? "warning" : "note";
}

Json sarif_result(const SuiteFinding& finding, const SuiteReport& report) {
  const std::size_t rule = sarif_rule_of(finding.rule());
  const std::string command = finding_command(finding, report);
  std::string message = finding_title(finding) + ". " + finding_message(finding);
  if (!command.empty()) message += " Reproduce: " + command;
  const std::string fingerprint = sarif_fingerprint(finding);
  Json result{{"ruleId", "assay/" + std::string(kSarifRules[rule].id)},
              {"ruleIndex", static_cast<std::int64_t>(rule)},
              {"level", sarif_level(finding.severity)},
              {"message", sarif_text(sarif_message(shortened(message, kMostOfSarifMessage)))}};
  Json locations = Json::array();
  locations.push_back(sarif_location(sarif_place(finding, report)));
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

Json sarif_rule(const SarifRule& rule) {
  return {{"id", "assay/" + std::string(rule.id)},
          {"name", rule.name},
          {"shortDescription", sarif_text(std::string(rule.about))},
          {"fullDescription", sarif_text(std::string(rule.about))},
          {"help", sarif_text(std::string(rule.help))},
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
  const std::vector<SuiteFinding> findings = findings_of(report);
  const std::size_t shown = std::min(findings.size(), kMostSarifResults);
  Json results = Json::array();
  for (std::size_t i = 0; i < shown; ++i) results.push_back(sarif_result(findings[i], report));
  Json rules = Json::array();
  for (const SarifRule& rule : kSarifRules) rules.push_back(sarif_rule(rule));

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
