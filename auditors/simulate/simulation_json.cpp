#include "assay/auditors/simulate/simulation_report.hpp"
#include "assay/auditors/text/json.hpp"

namespace assay {
namespace {

Json check_json(const OutcomeCheck& check) {
  return {{"name", check.name},
          {"stated", check.stated},
          {"rule", check.rule},
          {"observed", check.observed},
          {"outcome", detail::value_text(check.outcome)}};
}

Json curve_json(const Curve& curve) {
  Json out = {{"panel", curve.panel},   {"series", curve.series}, {"x_name", curve.x_name},
              {"y_name", curve.y_name}, {"x", curve.x},           {"y", curve.y}};
  out["y_low_95"] = curve.low.empty() ? Json(nullptr) : Json(curve.low);
  out["y_high_95"] = curve.high.empty() ? Json(nullptr) : Json(curve.high);
  out["repetitions"] = curve.repetitions;
  return out;
}

Json values_json(const ValueTable& table) {
  return {{"caption", table.caption},
          {"columns", json_list(table.columns, [](const ValueColumn& c) { return Json(c.name); })},
          {"rows", table.rows}};
}

Json experiment_json(const ExperimentReport& experiment) {
  return {{"id", experiment.id},
          {"title", experiment.title},
          {"reproduces", experiment.reproduces},
          {"parameters", json_parameters(experiment.parameters)},
          {"caption", experiment.caption},
          {"checks", json_list(experiment.checks, check_json)},
          {"confidence", experiment.confidence},
          {"notes", experiment.notes},
          {"values", values_json(experiment.values)},
          {"curves", json_list(experiment.curves, curve_json)},
          {"reproduce", experiment.reproduce}};
}

}  // namespace

std::string to_json(const SimulationReport& report) {
  Json out;
  out["schema"] = kSimulationReportSchema;
  out["outcome"] = detail::value_text(overall_outcome(report));
  out["experiments"] = json_list(report.experiments, experiment_json);
  out["reproduce"] = report.reproduce;
  const RunMeta& meta = report.meta;
  out["meta"] = {{"version", meta.version}, {"build", meta.build},
                 {"started", meta.started}, {"seconds", meta.seconds},
                 {"threads", meta.threads}, {"rounds_played", meta.rounds_played}};
  return json_text(out) + "\n";
}

}  // namespace assay
