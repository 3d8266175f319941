#include <nlohmann/json.hpp>

#include "assay/auditors/writers/json_text.hpp"
#include "assay/auditors/writers/json_values.inc"
#include "assay/auditors/writers/simulation_report.hpp"

namespace assay {
namespace {

using detail::Json;
using detail::list;
using detail::number;
using detail::numbers;
using detail::parameter;

const char* id_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kHolds:
      return "holds";
    case Outcome::kFails:
      return "fails";
    case Outcome::kUndecided:
      return "undecided";
  }
  return "?";
}

Json check_json(const OutcomeCheck& check) {
  return {{"name", check.name},
          {"stated", check.stated},
          {"rule", check.rule},
          {"observed", check.observed},
          {"outcome", id_of(check.outcome)}};
}

Json curve_json(const Curve& curve) {
  Json out = {{"panel", curve.panel},   {"series", curve.series}, {"x_name", curve.x_name},
              {"y_name", curve.y_name}, {"x", numbers(curve.x)},  {"y", numbers(curve.y)}};
  out["y_low_95"] = curve.low.empty() ? Json(nullptr) : numbers(curve.low);
  out["y_high_95"] = curve.high.empty() ? Json(nullptr) : numbers(curve.high);
  out["repetitions"] = curve.repetitions;
  return out;
}

Json values_json(const ValueTable& table) {
  return {{"caption", table.caption},
          {"columns", list(table.columns, [](const ValueColumn& c) { return Json(c.name); })},
          {"rows", table.rows}};
}

Json experiment_json(const ExperimentReport& experiment) {
  Json parameters = Json::object();
  for (const auto& [key, value] : experiment.parameters) parameters[key] = parameter(value);
  return {{"id", experiment.id},
          {"title", experiment.title},
          {"reproduces", experiment.reproduces},
          {"parameters", parameters},
          {"caption", experiment.caption},
          {"checks", list(experiment.checks, check_json)},
          {"confidence", number(experiment.confidence)},
          {"notes", experiment.notes},
          {"values", values_json(experiment.values)},
          {"curves", list(experiment.curves, curve_json)},
          {"reproduce", experiment.reproduce}};
}

}  // namespace

std::string to_json(const SimulationReport& report) {
  Json out;
  out["schema"] = kSimulationReportSchema;
  out["outcome"] = id_of(overall_outcome(report));
  out["experiments"] = list(report.experiments, experiment_json);
  out["reproduce"] = report.reproduce;
  const RunMeta& meta = report.meta;
  out["meta"] = {{"version", meta.version}, {"build", meta.build},
                 {"started", meta.started}, {"seconds", number(meta.seconds)},
                 {"threads", meta.threads}, {"rounds_played", meta.rounds_played}};
  return json_text(detail::dumped(out)) + "\n";
}

}  // namespace assay
