#include "assay/auditors/account/account_report.hpp"
#include "assay/auditors/text/json.hpp"

namespace assay {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json step_json(const ChainStep& step) {
  const auto* pair = std::get_if<FinitePairStep>(&step.mechanism);
  return {{"label", text_or_null(step.label)},
          {"mechanism", step_name(step.mechanism)},
          {"parameters", pair != nullptr ? Json{{"p", pair->p}, {"q", pair->q}}
                                         : json_parameters(step_parameters(step.mechanism))},
          {"count", step.count}};
}

Json other_json(const OtherAccounting& other) {
  return {{"name", other.name},
          {"source", other.source},
          {"upper", other.upper},
          {"why_not", text_or_null(other.why_not)}};
}

Json answer_json(const AccountAnswer& answer) {
  Json out;
  out["asked"] = answer.target.asks_epsilon() ? "epsilon at delta" : "delta at epsilon";
  out["given"] = answer.target.given;
  out["lower"] = answer.lower;
  out["upper"] = answer.upper;
  out["why_infinite"] = text_or_null(answer.why_infinite);
  out["worse_order"] = text_or_null(answer.worse_order);
  out["route"] = answer.route;
  out["closed_form"] = answer.closed ? Json{{"lower", answer.closed->lower},
                                            {"upper", answer.closed->upper},
                                            {"source", answer.closed->source}}
                                     : Json(nullptr);
  out["others"] = json_list(answer.others, other_json);
  return out;
}

// Lower bounds of the profile and upper bounds of the curve are null where none exists.
Json curves_json(const AccountCurves& curves) {
  const auto if_known = [&](double bound) {
    return curves.two_sided ? Json(bound) : Json(nullptr);
  };
  return {{"profile", json_list(curves.profile,
                                [&](const ProfileBand& point) {
                                  return Json{{"epsilon", point.epsilon},
                                              {"lower", if_known(point.lower)},
                                              {"upper", point.upper}};
                                })},
          {"trade_off", json_list(curves.trade_off, [&](const TradeOffBand& point) {
             return Json{{"type_one", point.type_one},
                         {"lower", point.lower},
                         {"upper", if_known(point.upper)}};
           })}};
}

Json head(const char* kind) { return {{"schema", kAccountReportSchema}, {"kind", kind}}; }

std::string finished(Json out, const std::string& reproduce, const RunMeta& meta) {
  out["reproduce"] = reproduce;
  out["meta"] = {{"version", meta.version},
                 {"build", meta.build},
                 {"started", meta.started},
                 {"seconds", meta.seconds}};
  return json_text(out) + "\n";
}

}  // namespace

std::string to_json(const AccountReport& report) {
  Json out = head("account");
  out["source"] = text_or_null(report.source);
  out["relation"] = text_or_null(report.relation);
  out["view"] = text_or_null(report.view);
  out["chain"] = json_list(report.chain, step_json);
  out["answers"] = json_list(report.answers, answer_json);
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
  out["lines"] = json_list(table.lines, [](const ConversionLine& line) {
    return Json{{"to", line.to},
                {"quantity", line.quantity},
                {"upper", line.upper},
                {"source", text_or_null(line.source)},
                {"why_not", text_or_null(line.why_not)}};
  });
  return finished(std::move(out), report.reproduce, report.meta);
}

std::string to_json(const CalibrationReport& report) {
  const CalibratedNoise& c = report.calibration;
  Json out = head("calibration");
  out["mechanism"] = report.what;
  out["parameters"] = json_parameters(report.parameters);
  out["epsilon"] = report.request.target.epsilon.value;
  out["delta"] = report.request.target.delta.value;
  out["scale"] = c.scale;
  out["none_below"] = c.none_below;
  out["certificate"] = c.certificate;
  out["achieved_delta"] = {{"lower", c.achieved.lower.value.value},
                           {"upper", c.achieved.upper.value.value},
                           {"source", c.achieved_by}};
  return finished(std::move(out), report.reproduce, report.meta);
}

}  // namespace assay
