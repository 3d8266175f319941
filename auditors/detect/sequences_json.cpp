#include <string>

#include "assay/auditors/detect/sequences_report.hpp"
#include "assay/auditors/text/json.hpp"
#include "assay/mechanisms/core/configuration.hpp"

namespace assay {
namespace {

Json audit_json(const SequenceAudit& audit) {
  return {{"exact", audit.exact},   {"common_event", audit.common_event},
          {"lower", audit.lower},   {"verdict", to_string(audit.verdict)},
          {"reason", audit.reason}, {"plays", audit.plays}};
}

Json row_json(const SequenceResult& result) {
  const auto& row = *result.row;
  Json out;
  out["name"] = row.name;
  out["fault"] = row.fault;
  out["kind"] = detail::value_text(row.shape.kind);
  out["horizon"] = row.shape.horizon;
  out["claim"] = row.claim;
  out["theorem"] = row.theorem;
  out["method"] = "events";
  out["certified_plays"] = row.plays;
  out["changed_row"] = row.changed_row + 1;
  out["old_input"] = row.old_input.values;
  out["new_input"] = row.new_input.values;
  out["faulty"] = audit_json(result.fault);
  out["correct"] = audit_json(result.twin);
  out["as_expected"] = result.as_expected();
  return out;
}

}  // namespace

std::string to_json(const SequenceDetection& detection, const RunMeta& meta) {
  Json out;
  out["assay_sequences"] = 1;
  out["seed"] = std::to_string(detection.plan.seed);
  out["confidence"] = detection.plan.confidence;
  out["selected"] = detection.selected;
  Json rows = Json::array();
  Json seconds = Json::object();
  for (const auto& result : detection.results) {
    rows.push_back(row_json(result));
    seconds[result.row->name] = {{"faulty", result.fault.seconds},
                                 {"correct", result.twin.seconds}};
  }
  out["rows"] = std::move(rows);
  out["meta"] = {{"version", meta.version}, {"build", meta.build},     {"started", meta.started},
                 {"seconds", meta.seconds}, {"threads", meta.threads}, {"row_seconds", seconds}};
  return json_text(out) + "\n";
}

}  // namespace assay
