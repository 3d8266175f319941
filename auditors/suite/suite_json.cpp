#include "assay/auditors/suite/suite_json.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/auditors/text/internal/record_reader.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

void fields(const SourcePlace& place, Fields visit) {
  visit.about("place", "The place of an entry in the suite's files.");
  visit("file", place.file);
  visit("line", place.line);
  visit("column", place.column);
}

void fields(const EntryFigure& figure, Fields visit) {
  visit.about("figure", "A number between certified bounds; both ends are equal if it is known.");
  visit("name", figure.name);
  visit("kind", figure.kind);
  visit("lower", figure.lower);
  visit("upper", figure.upper);
  visit("allowed", figure.allowed, "The largest value that the claim or requirement allows.");
  visit("alpha", figure.alpha, "The error probability of sampled bounds; 0 for exact ones.");
  visit("repetitions", figure.repetitions);
}

void fields(const EntryWitness& witness, Fields visit) {
  visit.about("witness", "The smallest input pair and runs that show a violation.");
  visit("base_input", witness.base_input);
  visit("neighbour_input", witness.neighbour_input);
  visit.seed(witness.seed);
  visit("round", witness.round, "The first round at which the two runs diverge.");
  visit("base_action", witness.base_action);
  visit("neighbour_action", witness.neighbour_action);
  visit("command", witness.command, "The command that reproduces both runs.");
}

void fields(const EntryChange& change, Fields visit) {
  visit("entry", change.id);
  visit("change", change.kind);
  visit("regresses", change.regresses);
  visit("figure", change.figure, "The name of the figure; empty if the entry as a whole changed.");
  visit("statement", change.statement);
}

namespace {

// All that may differ between two runs is in `meta`: the seconds, and the figures of time.
struct EntryRecord {
  EntryResult entry = {};
  std::vector<EntryFigure> figures = {}, times = {};
};

void fields(const EntryRecord& record, Fields visit) {
  const EntryResult& entry = record.entry;
  visit.about("entry", "The result of one entry.");
  visit("id", entry.id);
  visit("kind", entry.kind);
  visit("severity", entry.severity);
  visit("tags", entry.tags);
  visit("place", entry.place);
  visit("subject", entry.subject, "The audited case, command, plug-in or chain.");
  visit("status", entry.status);
  visit("verdict", entry.verdict);
  visit("claim", entry.claim);
  visit("headline", entry.headline, "The finding, in one line.");
  visit("details", entry.details);
  visit("figures", record.figures);
  visit("witness", entry.witness);
  visit("error", entry.error);
  visit("reproduce", entry.reproduce);
  visit("alpha", entry.alpha, "The share of the run's error probability; 0 for an exact result.");
  visit("content", entry.content, "A digest of all that decides the result except the seed.");
  visit("reused_from", entry.reused_from, "The run of the history that this result comes from.");
  visit("suppressed_by", entry.suppressed_by, "The suppression that covers its failure.");
  visit.group("meta", "All that may differ between two runs.", [&] {
    visit("seconds", entry.seconds);
    visit("times", record.times, "The figures of time.");
  });
}

EntryRecord record_of(const EntryResult& entry) {
  EntryRecord record{entry, {}, {}};
  for (const auto& figure : entry.figures) {
    (figure.kind == FigureKind::kTime ? record.times : record.figures).push_back(figure);
  }
  return record;
}

Result<EntryResult> entry_of(EntryRecord record, const std::string& path) {
  EntryResult entry = std::move(record.entry);
  entry.figures = std::move(record.figures);
  entry.figures.insert(entry.figures.end(), record.times.begin(), record.times.end());
  std::set<std::string_view> names;
  for (const auto& figure : entry.figures) {
    const std::string name = "the figure '" + plain_text(figure.name) + "'";
    if (!(figure.lower <= figure.upper)) {
      return fail(ErrorCode::kParse, "has " + name + " with a lower bound above its upper bound",
                  path);
    }
    if (!names.insert(figure.name).second) {
      return fail(ErrorCode::kParse, "has " + name + " twice", path);
    }
  }
  return entry;
}

// Version 1 had other names for the inputs and outputs of a witness.
void upgrade_entry(nlohmann::json& entry) {
  if (!entry.is_object() || !entry.contains("witness") || !entry["witness"].is_object()) return;
  auto& witness = entry["witness"];
  for (const auto& [old_name, name] :
       {std::pair("old_input", "base_input"), std::pair("new_input", "neighbour_input"),
        std::pair("old_action", "base_action"), std::pair("new_action", "neighbour_action")}) {
    if (!witness.contains(old_name)) continue;
    witness[name] = std::move(witness[old_name]);
    witness.erase(old_name);
  }
}

struct SuiteReportRecord {
  SuiteReport report = {};
  std::vector<EntryRecord> entries = {};
};

struct FailureRecord {
  SuiteFinding finding = {};
  const SuiteReport& report = none<SuiteReport>();
};
void fields(const FailureRecord& record, Fields visit) {
  const SuiteFinding& finding = record.finding;
  visit("entry", [&] { return finding.id; });
  visit(
      "rule", [&] { return finding.rule(); }, "A status or a change.");
  visit("figure", [&] { return finding.change == nullptr ? "" : finding.change->figure; });
  visit("severity", [&] { return finding.severity; });
  visit("fails", [&] { return finding.fails; });
  visit("message", [&] { return finding_message(finding); });
  visit("reproduce", [&] { return finding_command(finding, record.report); });
}

void fields(const SuiteReportRecord& record, Fields visit) {
  const SuiteReport& report = record.report;
  report_head(
      visit, kSuiteReportSchema,
      "The result of `assay suite run`. Only `meta`, of the report and of its entries, differs between "
      "runs of one request that continue the same history.");
  visit("headline", [&] { return suite_headline(report); });
  visit("name", report.name, "The name of the suite.");
  visit("file", [&] { return report.file; });
  visit("tier", [&] { return report.tier; });
  visit(
      "confidence", report.confidence, kProbability,
      "Everything certified holds, in all runs of the history together, with at least this probability.");
  visit("run", report.run, "The number of the run in its history.");
  visit(
      "alpha", [&] { return report.alpha; }, kProbability, "This run's share.");
  visit("seed", [&] { return std::to_string(report.seed); });
  visit("revision", [&] { return report.revision; });
  visit("interrupted", [&] { return report.interrupted; });
  visit(
      "failures",
      [&] {
        std::vector<FailureRecord> out;
        for (const auto& finding : findings_of(report)) out.push_back({finding, report});
        return out;
      },
      "Failures that fail the run come first.");
  visit("entries", record.entries);
  visit("baseline", [&] { return report.baseline; });
  visit(
      "changes", [&] { return report.changes; }, "The changes against the baseline.");
  visit("notes", [&] { return report.notes; });
  visit("reproduce", [&] { return report.reproduce; });
  report_meta(visit, report.meta);
}

}  // namespace

Json entry_json(const EntryResult& entry) { return json_of(record_of(entry)); }

std::string to_json(const SuiteReport& report) {
  SuiteReportRecord record{report, {}};
  for (const auto& entry : report.entries) record.entries.push_back(record_of(entry));
  return json_text_of(record);
}

std::string suite_report_schema() { return schema_of<SuiteReportRecord>(); }

Result<EntryResult> read_entry(std::string_view json) {
  auto tree = ASSAY_TRY(detail::parse_json(json));
  upgrade_entry(tree);
  EntryRecord record;
  ASSAY_TRY(detail::read_record(tree, record));
  return entry_of(std::move(record), "");
}

Result<SuiteReport> read_suite_report(std::string_view json) {
  auto tree = ASSAY_TRY(detail::parse_json(json));
  const bool is_first =
      tree.is_object() && tree.contains("schema") && tree["schema"] == "assay.suite-report/1";
  if (is_first) tree["schema"] = kSuiteReportSchema;
  if (!tree.is_object() || !tree.contains("schema") || tree["schema"] != kSuiteReportSchema) {
    return fail(ErrorCode::kParse, "is not a report of a suite: its \"schema\" must be \"" +
                                       std::string(kSuiteReportSchema) + "\"");
  }
  if (tree.contains("entries") && tree["entries"].is_array()) {
    for (auto& entry : tree["entries"]) upgrade_entry(entry);
  }
  SuiteReportRecord record;
  ASSAY_TRY(detail::read_record(tree, record));
  std::set<std::string> ids;
  for (auto& one : record.entries) {
    const std::string path = "/entries/" + std::to_string(record.report.entries.size());
    record.report.entries.push_back(ASSAY_TRY(entry_of(std::move(one), path)));
    const std::string& id = record.report.entries.back().id;
    if (!ids.insert(id).second) {
      return fail(ErrorCode::kParse, "has the entry '" + plain_text(id) + "' twice");
    }
  }
  return std::move(record.report);
}

}  // namespace assay
