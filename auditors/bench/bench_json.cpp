#include "assay/auditors/bench/bench_report.hpp"
#include "assay/auditors/text/json.hpp"

namespace assay {
namespace {

Json known_or_null(double value) { return value == value ? Json(value) : Json(nullptr); }

Json bench_point_json(const BenchComparison& comparison, const BenchPoint& point) {
  Json errors = Json::array();
  for (std::size_t i = 0; i < point.errors.size(); ++i) {
    const auto& error = point.errors[i];
    errors.push_back(Json{{"measure", comparison.measures[i].name},
                          {"by", detail::value_text(comparison.measures[i].by)},
                          {"value", known_or_null(error.value)},
                          {"lower", known_or_null(error.lower)},
                          {"upper", known_or_null(error.upper)}});
  }
  return {{"size", point.size},
          {"calibrated", json_parameters(point.parameters)},
          {"certified", Json{{"epsilon", comparison.target.epsilon.value},
                             {"delta", point.delta},
                             {"level", to_string(point.level.level)},
                             {"source", point.level.source},
                             {"reservation", point.reservation.empty() ? Json(nullptr)
                                                                       : Json(point.reservation)}}},
          {"errors", errors}};
}

}  // namespace

std::string to_json(const BenchReport& report) {
  const BenchComparison& comparison = report.comparison;
  Json out{{"schema", kBenchReportSchema},
           {"group", comparison.group},
           {"title", comparison.title},
           {"parameters", json_parameters(comparison.parameters)},
           {"target", Json{{"epsilon", comparison.target.epsilon.value},
                           {"delta", comparison.target.delta.value}}},
           {"relation", detail::value_text(comparison.relation)},
           {"view", detail::value_text(comparison.view)},
           {"neighbours", detail::neighbours_text(comparison)},
           {"size_name", comparison.size_name},
           {"unit", comparison.unit},
           {"seed", report.plan.seed},
           {"confidence", report.plan.confidence},
           {"samples", report.samples},
           {"interrupted", report.interrupted}};
  out["contenders"] = json_list(report.rows, [&](const BenchRow& row) {
    return Json{{"id", row.id}, {"points", json_list(row.points, [&](const BenchPoint& point) {
                                   return bench_point_json(comparison, point);
                                 })}};
  });
  out["refused"] = json_list(report.refusals, [](const BenchRefusal& refusal) {
    return Json{{"id", refusal.id}, {"size", refusal.size}, {"reason", refusal.reason}};
  });
  out["alpha"] = json_list(report.alpha, [](const AlphaLedger::Entry& entry) {
    return Json{{"purpose", entry.purpose}, {"alpha", entry.alpha}};
  });
  out["reproduce"] = report.reproduce;
  out["meta"] = {{"version", report.meta.version},
                 {"build", report.meta.build},
                 {"started", report.meta.started},
                 {"seconds", report.meta.seconds},
                 {"threads", report.meta.threads},
                 {"measured", json_list(report.rows, [](const BenchRow& row) {
                    return Json{{"id", row.id},
                                {"seconds_per_unit", row.timing.seconds},
                                {"median", row.timing.seconds.empty() ? Json(nullptr)
                                                                      : Json(row.timing.median())},
                                {"bytes", json_list(row.points, [](const BenchPoint& point) {
                                   return Json{{"size", point.size}, {"bytes", point.bytes}};
                                 })}};
                  })}};
  return json_text(out) + "\n";
}

}  // namespace assay
