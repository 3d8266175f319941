#include <string>

#include "assay/auditors/detect/sequences_report.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"

namespace assay {

void fields(const SequenceAudit& audit, Fields visit) {
  visit.about("audit", "The audit of a sequence.");
  visit("exact", audit.exact, "The eps on the row's pair, from the distribution of transcripts.");
  visit("common_event", audit.common_event,
        "The eps of the best event of probability at least 0.01.");
  visit("lower", audit.lower, "A certified lower bound on eps at delta = 0, from runs alone.");
  visit("verdict", audit.verdict);
  visit("reason", audit.reason);
  visit("runs", audit.runs, kCount, "All runs of the audit, on D and D'.");
}

void fields(const SequenceResult& result, Fields visit) {
  const auto& row = result.row;
  visit("name", [&] { return row->name; });
  visit(
      "fault", [&] { return row->fault; }, "The planted fault.");
  visit("kind", [&] { return row->shape.kind; });
  visit("horizon", [&] { return row->shape.horizon; });
  visit("claim", [&] { return row->claim; });
  visit(
      "theorem", [&] { return row->theorem; },
      "The reason why the correct counterpart satisfies the claim.");
  visit.constant("method", "events");
  visit(
      "certified_runs", [&] { return row->runs; }, "The certified runs on each input.");
  visit(
      "changed_row", [&] { return row->changed_row + 1; }, "The row that differs, counted from 1.");
  visit("base_input", [&] { return row->base_input.values; });
  visit("neighbour_input", [&] { return row->neighbour_input.values; });
  visit("faulty", result.fault);
  visit("correct", result.counterpart);
  visit("as_expected", [&] { return result.as_expected(); });
}

namespace {

struct SequenceSeconds {
  std::string name = {};
  double faulty = 0.0, correct = 0.0;
};
void fields(const SequenceSeconds& row, Fields visit) {
  visit("name", row.name);
  visit("faulty", row.faulty, kCount, "The seconds of the faulty policy.");
  visit("correct", row.correct, kCount, "The seconds of its correct counterpart.");
}

struct SequencesRecord {
  const SequenceDetection& detection = none<SequenceDetection>();
  const RunMeta& meta = none<RunMeta>();
};
void fields(const SequencesRecord& record, Fields visit) {
  const SequenceDetection& detection = record.detection;
  report_head(
      visit, "assay.sequences-report/2",
      "The result of `assay detect --sequences`: one row per fault, in the table's order. Only `meta` "
      "differs between runs of one request.");
  visit.seed(detection.plan.seed);
  visit("confidence", detection.plan.confidence, kProbability, "The confidence of each audit.");
  visit("selected", detection.selected, kCount,
        "The number of requested faults; more than listed if the run was interrupted.");
  visit("rows", detection.results);
  std::vector<SequenceSeconds> seconds;
  for (const auto& result : detection.results) {
    seconds.push_back({result.row->name, result.fault.seconds, result.counterpart.seconds});
  }
  report_meta(visit, record.meta, [&] { visit("rows", seconds); });
}

}  // namespace

std::string to_json(const SequenceDetection& detection, const RunMeta& meta) {
  return json_text_of(SequencesRecord{detection, meta});
}
std::string sequences_report_schema() { return schema_of<SequencesRecord>(); }

}  // namespace assay
