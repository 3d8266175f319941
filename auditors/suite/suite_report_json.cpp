#include <string>

#include "assay/auditors/suite/suite_findings.hpp"
#include "assay/auditors/suite/suite_json.hpp"
#include "assay/auditors/suite/suite_report_writers.hpp"
#include "assay/auditors/text/json.hpp"

namespace assay {

std::string to_json(const SuiteReport& report) {
  Json out;
  out["schema"] = kSuiteReportSchema;
  out["headline"] = suite_headline(report);
  out["name"] = report.name;
  out["file"] = report.file;
  out["tier"] = report.tier;
  out["confidence"] = report.confidence;
  out["run"] = report.run;
  out["alpha"] = report.alpha;
  out["seed"] = std::to_string(report.seed);
  out["revision"] = report.revision;
  out["interrupted"] = report.interrupted;
  out["failures"] = json_list(findings_of(report), [&](const SuiteFinding& finding) {
    return Json{{"entry", finding.id},
                {"rule", finding.rule()},
                {"figure", finding.change == nullptr ? "" : finding.change->figure},
                {"severity", enum_name(finding.severity)},
                {"fails", finding.fails},
                {"message", finding_message(finding)},
                {"reproduce", finding_command(finding, report)}};
  });
  out["entries"] = json_list(report.entries, entry_json);
  out["baseline"] = report.baseline;
  out["changes"] = json_list(report.changes, [](const EntryChange& change) {
    return Json{{"entry", change.id},
                {"change", enum_name(change.kind)},
                {"regresses", change.regresses},
                {"figure", change.figure},
                {"statement", change.statement}};
  });
  out["notes"] = report.notes;
  out["reproduce"] = report.reproduce;
  const RunMeta& meta = report.meta;
  out["meta"] = {{"version", meta.version},
                 {"build", meta.build},
                 {"started", meta.started},
                 {"seconds", meta.seconds},
                 {"threads", meta.threads}};
  return json_text(out) + "\n";
}

}  // namespace assay
