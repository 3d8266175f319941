#include <nlohmann/json.hpp>

#include "assay/auditors/writers/account_report.hpp"
#include "assay/auditors/writers/json_text.hpp"
#include "assay/auditors/writers/json_values.inc"

namespace assay {
namespace {

using detail::Json;
using detail::list;
using detail::number;

Json optional_number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json parameters_json(const std::vector<KeyValue>& parameters) {
  Json out = Json::object();
  for (const auto& [key, value] : parameters) out[key] = detail::parameter(value);
  return out;
}

Json step_json(const ChainStep& step) {
  Json parameters = Json::object();
  if (const auto* pair = std::get_if<FinitePairStep>(&step.mechanism)) {
    parameters = {{"p", detail::numbers(pair->p)}, {"q", detail::numbers(pair->q)}};
  } else {
    parameters = parameters_json(step_parameters(step.mechanism));
  }
  return {{"label", text_or_null(step.label)},
          {"mechanism", step_name(step.mechanism)},
          {"parameters", parameters},
          {"count", step.count}};
}

Json other_json(const OtherAccounting& other) {
  return {{"name", other.name},
          {"source", other.source},
          {"upper", optional_number(other.upper)},
          {"why_not", text_or_null(other.why_not)}};
}

Json answer_json(const AccountAnswer& answer) {
  Json out;
  out["asked"] = answer.target.asks_epsilon() ? "epsilon at delta" : "delta at epsilon";
  out["given"] = number(answer.target.given);
  out["lower"] = optional_number(answer.lower);
  out["upper"] = number(answer.upper);
  out["why_infinite"] = text_or_null(answer.why_infinite);
  out["worse_order"] = text_or_null(answer.worse_order);
  out["route"] = answer.route;
  out["closed_form"] = answer.closed ? Json{{"lower", number(answer.closed->lower)},
                                            {"upper", number(answer.closed->upper)},
                                            {"source", answer.closed->source}}
                                     : Json(nullptr);
  out["others"] = list(answer.others, other_json);
  return out;
}

// Lower bounds of the profile and upper bounds of the curve are null where none exists.
Json curves_json(const AccountCurves& curves) {
  Json profile = Json::array(), trade_off = Json::array();
  for (const ProfileBand& point : curves.profile) {
    profile.push_back({{"epsilon", number(point.epsilon)},
                       {"lower", curves.two_sided ? number(point.lower) : Json(nullptr)},
                       {"upper", number(point.upper)}});
  }
  for (const TradeOffBand& point : curves.trade_off) {
    trade_off.push_back({{"type_one", number(point.type_one)},
                         {"lower", number(point.lower)},
                         {"upper", curves.two_sided ? number(point.upper) : Json(nullptr)}});
  }
  return {{"profile", profile}, {"trade_off", trade_off}};
}

Json head(const char* kind) { return {{"schema", kAccountReportSchema}, {"kind", kind}}; }

std::string finished(Json out, const std::string& reproduce, const RunMeta& meta) {
  out["reproduce"] = reproduce;
  out["meta"] = {{"version", meta.version},
                 {"build", meta.build},
                 {"started", meta.started},
                 {"seconds", number(meta.seconds)}};
  return json_text(detail::dumped(out)) + "\n";
}

}  // namespace

std::string to_json(const AccountReport& report) {
  Json out = head("account");
  out["source"] = text_or_null(report.source);
  out["relation"] = text_or_null(report.relation);
  out["view"] = text_or_null(report.view);
  out["chain"] = list(report.chain, step_json);
  out["answers"] = list(report.answers, answer_json);
  out["curves"] = report.curves ? curves_json(*report.curves) : Json(nullptr);
  return finished(std::move(out), report.reproduce, report.meta);
}

std::string to_json(const ConversionReport& report) {
  const ConversionTable& table = report.table;
  Json out = head("conversion");
  out["given"] = to_string(table.given);
  out["group"] = table.group;
  out["level"] = text_or_null(table.level);
  out["direction"] = "upper bounds";
  out["lines"] = list(table.lines, [](const ConversionLine& line) {
    return Json{{"to", line.to},
                {"quantity", line.quantity},
                {"upper", optional_number(line.upper)},
                {"source", text_or_null(line.source)},
                {"why_not", text_or_null(line.why_not)}};
  });
  return finished(std::move(out), report.reproduce, report.meta);
}

std::string to_json(const CalibrationReport& report) {
  const CalibratedNoise& c = report.calibration;
  Json out = head("calibration");
  out["mechanism"] = report.what;
  out["parameters"] = parameters_json(report.parameters);
  out["epsilon"] = number(report.request.target.epsilon.value);
  out["delta"] = number(report.request.target.delta.value);
  out["scale"] = number(c.scale);
  out["none_below"] = optional_number(c.none_below);
  out["certificate"] = c.certificate;
  out["achieved_delta"] = {{"lower", number(c.achieved.lower.value.value)},
                           {"upper", number(c.achieved.upper.value.value)},
                           {"source", c.achieved_by}};
  return finished(std::move(out), report.reproduce, report.meta);
}

}  // namespace assay
