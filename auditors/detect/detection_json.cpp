#include <string>

#include "assay/auditors/detect/detection_report.hpp"
#include "assay/auditors/text/json.hpp"

namespace assay {
namespace {

Json row_json(const DetectionResult& result) {
  const auto& row = *result.row;
  const bool old_is_p = result.selected.orientation == EventOrientation::kOldAboveNew;
  const auto& [old_input, new_input] = row.pairs[result.pair];
  Json out;
  out["mechanism"] = row.name;
  out["claim"] = row.claim;
  out["truth"] = row.true_epsilon;
  out["truth_source"] = row.truth;
  out["best_event"] = result.best_event;
  out["ceiling"] = result.ceiling;
  out["lower"] = result.lower;
  out["verdict"] = result.convicted() ? "Violated" : "NotRefuted";
  out["as_expected"] = result.as_expected();
  out["p_input"] = row.inputs[old_is_p ? old_input : new_input];
  out["q_input"] = row.inputs[old_is_p ? new_input : old_input];
  out["score"] = result.score;
  out["counts"] = {{"p_hits", result.counts.x},
                   {"p_runs", result.counts.n},
                   {"q_hits", result.counts.y},
                   {"q_runs", result.counts.m}};
  out["samples"] = result.samples;
  out["sniper"] = {{"epsilon", row.sniper_epsilon},
                   {"lower", row.sniper_lower},
                   {"samples", result.sniper_samples},
                   {"seconds", row.sniper_seconds}};
  if (row.statdp) out["statdp"] = {{"lower", row.statdp->lower}, {"seconds", row.statdp->seconds}};
  return out;
}

}  // namespace

std::string to_json(const Detection& detection, const RunMeta& meta) {
  Json out;
  out["assay_detection"] = 1;
  out["seed"] = std::to_string(detection.plan.seed);
  out["confidence"] = detection.plan.confidence;
  out["sample_share"] = detection.plan.sample_share;
  out["selected"] = detection.selected;
  Json rows = Json::array();
  Json seconds = Json::object();
  for (const auto& result : detection.results) {
    rows.push_back(row_json(result));
    seconds[result.row->name] = result.seconds;
  }
  out["rows"] = std::move(rows);
  out["meta"] = {{"version", meta.version}, {"build", meta.build},     {"started", meta.started},
                 {"seconds", meta.seconds}, {"threads", meta.threads}, {"row_seconds", seconds}};
  return json_text(out) + "\n";
}

}  // namespace assay
