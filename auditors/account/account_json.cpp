#include <limits>
#include <variant>

#include "assay/auditors/account/account_report.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"

namespace assay {

void fields(const FinitePairStep& pair, Fields visit) {
  visit("p", pair.p, kProbability);
  visit("q", pair.q, kProbability);
}

void fields(const GaussianMixtureStep& mixture, Fields visit) {
  visit("sigma", mixture.sigma);
  visit("relation", [&] { return step_relation(mixture); });
  visit("weights", mixture.weights, kProbability);
  visit("shifts", mixture.shifts);
}

void fields(const ChainStep& step, Fields visit) {
  using Parameters = std::variant<std::vector<KeyValue>, FinitePairStep, GaussianMixtureStep>;
  visit.about("step", "A step of the chain.");
  visit.or_null("label", step.label, "For people.");
  visit(
      "mechanism", [&] { return step_name(step.mechanism); },
      "A mechanism or level that `assay account --help` lists.");
  visit(
      "parameters",
      [&]() -> Parameters {
        if (const auto* pair = std::get_if<FinitePairStep>(&step.mechanism)) return *pair;
        if (const auto* mixture = std::get_if<GaussianMixtureStep>(&step.mechanism)) {
          return *mixture;
        }
        return step_parameters(step.mechanism);
      },
      "All parameters, with defaults. p and q of a finite pair, and weights and shifts of a "
      "gaussian-mixture, are lists.");
  visit("count", step.count, within(1.0, kMostReleases), "The number of releases.");
  visit("moves", step.moves, within(1.0, kMostReleases),
        "The answers of a release that one record moves, each by at most the sensitivity.");
  visit("group", step.group, within(kGroup.low, kGroup.high),
        "The records that neighbours differ by, for a step without a sampler.");
}

void fields(const OtherAccounting& other, Fields visit) {
  visit("name", other.name);
  visit("source", other.source, "The theorem.");
  visit("upper", other.upper,
        "An upper bound on the quantity asked for; null if this accounting gives none.");
  visit.or_null("why_not", other.why_not, "Why it gives no bound.");
}

void fields(const ClosedForm& closed, Fields visit) {
  visit("lower", closed.lower);
  visit("upper", closed.upper);
  visit("source", closed.source);
}

void fields(const WithoutStep& one, Fields visit) {
  visit(
      "step", [&] { return static_cast<std::int64_t>(one.step) + 1; }, from(1.0),
      "The first step of the kind that is left out.");
  visit("count", one.count, from(1.0), "The number of its releases, those of equal steps too.");
  visit("lower", one.lower);
  visit("upper", one.upper);
}

void fields(const AccountAnswer& answer, Fields visit) {
  visit.about("answer", "A loss of the chain, between certified bounds.");
  visit(
      "asked",
      [&] { return answer.target.asks_epsilon() ? "epsilon at delta" : "delta at epsilon"; },
      "\"epsilon at delta\" or \"delta at epsilon\".");
  visit("given", answer.target.given, "The delta, or the eps.");
  visit("lower", answer.lower,
        "A certified lower bound for the composed pairs; null if only an upper bound exists.");
  visit("upper", answer.upper, "A certified upper bound; \"inf\" if none is finite.");
  visit(
      "exact", answer.is_exact,
      "Whether the bounds enclose one number, the cost for explicit data sets; otherwise they are of "
      "two pairs, which `route` names, and only the upper one is of all data sets.");
  visit.or_null("why_infinite", answer.why_infinite, "Why the upper bound is infinite.");
  visit.or_null(
      "worse_order", answer.worse_order,
      "The order of the neighbours that loses more, \"remove\" or \"add\", if their intervals do "
      "not overlap.");
  visit("route", answer.route, "The method of the bounds.");
  visit("closed_form", answer.closed, "The closed form, between its roundings, if there is one.");
  visit("others", answer.others, "Other accountings of the same chain, the tightest first.");
  visit("without", answer.without,
        "The same loss without one kind of step, for each kind; of more than 20 kinds for the five "
        "largest. Empty for one kind, and for 512 or more.");
}

namespace {

// Lower bounds of the profile and upper bounds of the curve are null if there are none.
struct ProfileRecord {
  ProfileBand point = {};
  bool two_sided = true;
};
void fields(const ProfileRecord& record, Fields visit) {
  visit("epsilon", record.point.epsilon);
  visit("lower",
        [&] { return record.two_sided ? std::optional(record.point.lower) : std::nullopt; });
  visit("upper", record.point.upper);
}

struct TradeOffRecord {
  TradeOffBand point = {};
  bool two_sided = true;
};
void fields(const TradeOffRecord& record, Fields visit) {
  visit("type_one", record.point.type_one);
  visit("lower", record.point.lower);
  visit("upper",
        [&] { return record.two_sided ? std::optional(record.point.upper) : std::nullopt; });
}

struct RateRecord {
  TradeOffBand point = {};
  bool two_sided = true;
};
void fields(const RateRecord& record, Fields visit) {
  visit("false_positive_rate", record.point.type_one);
  visit("lower", [&] {
    return record.two_sided ? std::optional(rate_of(record.point).lower) : std::nullopt;
  });
  visit("upper", [&] { return rate_of(record.point).upper; });
}

template <class Record, class Point>
auto points_of(const std::vector<Point>& points, bool two_sided) {
  return [&points, two_sided] {
    std::vector<Record> out;
    for (const auto& point : points) out.push_back({point, two_sided});
    return out;
  };
}

void account_head(Fields visit, std::string_view kind) {
  report_head(
      visit, kAccountReportSchema,
      "The result of `assay account`, `assay account convert` and `assay account calibrate`. The "
      "request determines everything outside `meta`. Infinities are the texts \"inf\" and "
      "\"-inf\". Within one version, no key changes its meaning or goes away.");
  visit.constant("kind", kind);
}

void account_foot(Fields visit, const std::string& reproduce, const RunMeta& meta) {
  report_reproduce(visit, reproduce);
  report_meta(visit, meta);
}

}  // namespace

void fields(const AccountCurves& curves, Fields visit) {
  visit("profile", points_of<ProfileRecord>(curves.profile, curves.two_sided),
        "Bounds on delta, by increasing eps.");
  visit("trade_off", points_of<TradeOffRecord>(curves.trade_off, curves.two_sided),
        "Bounds on the type II error of the best test, by increasing type I error.");
  visit("true_positive_rates", points_of<RateRecord>(curves.rates, curves.two_sided),
        "Bounds on the true-positive rate of the best test for one record.");
}

void fields(const AccountReport& report, Fields visit) {
  account_head(visit, "account");
  visit.or_null("source", report.source, "The file of the chain; null for the command line.");
  visit.or_null("relation", report.relation, "Which inputs are neighbours, if stated or implied.");
  visit.or_null("view", report.view, "What the adversary sees, if stated.");
  visit("chain", report.chain, kNotEmpty);
  visit("kinds", report.kinds, from(1.0),
        "The number of different steps; equal ones are composed as one.");
  visit("answers", report.answers, kNotEmpty);
  visit("curves", report.curves);
  account_foot(visit, report.reproduce, report.meta);
}

void fields(const ConversionLine& line, Fields visit) {
  visit("to", line.to);
  visit("quantity", line.quantity);
  visit("upper", line.upper);
  visit(
      "original", line.original,
      "The bound for one record and the relation given; null if neither is converted, or none is known.");
  visit.or_null("source", line.source, "The theorem.");
  visit.or_null("why_not", line.why_not, "Why there is no bound.");
}

void fields(const ConversionReport& report, Fields visit) {
  const ConversionTable& table = report.table;
  account_head(visit, "conversion");
  visit(
      "given", [&] { return to_string(table.given); }, "The level as given.");
  visit("group", table.group, from(1.0), "The number of records in the group.");
  visit("replaces", table.replaces,
        "Whether the level, for one record more or less, is converted to replaced records.");
  visit.or_null("level", table.level,
                "The level of the group; null for a Renyi curve of more than one record.");
  visit.constant("direction", "upper bounds");
  visit("lines", table.lines);
  account_foot(visit, report.reproduce, report.meta);
}

void fields(const VectorSensitivity& sensitivity, Fields visit) {
  visit("norm", sensitivity.norm, "\"L1\" or \"L2\".");
  visit("value", sensitivity.value, "The distance by which one record moves all answers together.");
}

void fields(const AnswerError& error, Fields visit) {
  visit("standard_deviation", error.standard_deviation);
  visit("half_width_95", error.half_width_95,
        "With probability 95% the noise is at most this far from 0.");
}

namespace {

// A CalibrationReport with a solution.
struct SolutionRecord {
  const CalibrationReport* report = nullptr;
};

void fields(const SolutionRecord& record, Fields visit) {
  const CalibrationReport& report =
      record.report == nullptr ? none<CalibrationReport>() : *record.report;
  const Solution& solution = report.solution ? *report.solution : none<Solution>();
  const SolvedParameter& solved = solution.solved;
  account_head(visit, "solution");
  visit("what", report.what, "The mechanism, or the file of the chain.");
  visit("epsilon", report.request.target.epsilon.value);
  visit("delta", report.request.target.delta.value);
  visit("parameter", solution.parameter, "The parameter that was solved for.");
  visit(
      "step", [&] { return static_cast<std::int64_t>(solution.step) + 1; }, from(1.0),
      "The step of the chain that has it.");
  visit("value", solved.value, "Certified: with this value the chain meets the target.");
  visit(
      "refuted", solved.refuted,
      "Certified: with this value some data sets lose more than the target. Null if none was found near.");
  visit.or_null("monotone", solved.monotone,
                "Why no less private value than `refuted` is enough; null if that is not proved.");
  visit("more_is_safer", solved.more_is_safer, "Whether larger values cost less.");
  visit("chain", solution.chain, kNotEmpty, "With the value.");
  visit("achieved", solved.achieved, "The cost with the value, computed afresh.");
  visit(
      "error", [&] { return answer_error(solved.step.mechanism); },
      "The error of one released number of that step; null if it is not known or none is released.");
  account_foot(visit, report.reproduce, report.meta);
}

}  // namespace

void fields(const CalibrationReport& report, Fields visit) {
  const CalibratedNoise& noise = report.calibration;
  account_head(visit, "calibration");
  visit("mechanism", report.what);
  visit("parameters", report.parameters);
  visit("epsilon", report.request.target.epsilon.value);
  visit("delta", report.request.target.delta.value);
  visit("scale", noise.scale,
        "The smallest certified scale; a standard deviation for Gaussian noise.");
  visit(
      "vector_sensitivity", [&] { return vector_sensitivity(report.request); },
      "Null for a mechanism whose sensitivity is that of each answer alone.");
  visit(
      "error", [&] { return answer_error(report); },
      "The error of one released number; of one node for a tree; null if none is released.");
  visit(
      "none_below", noise.none_below,
      "By the argument of `certificate`, no scale up to this one suffices; another argument may allow less noise. Null if that is not shown.");
  visit("certificate", noise.certificate);
  visit.group("achieved_delta",
              "Bounds on delta at the target's eps, computed afresh at this scale.", [&] {
                visit("lower", noise.achieved.lower.value.value);
                visit("upper", noise.achieved.upper.value.value);
                visit("source", noise.achieved_by);
              });
  account_foot(visit, report.reproduce, report.meta);
}

std::string to_json(const AccountReport& report) { return json_text_of(report); }
std::string to_json(const ConversionReport& report) { return json_text_of(report); }
std::string to_json(const CalibrationReport& report) {
  return report.solution ? json_text_of(SolutionRecord{&report}) : json_text_of(report);
}

std::string account_report_schema() {
  return schema_of<
      std::variant<AccountReport, ConversionReport, CalibrationReport, SolutionRecord>>();
}

}  // namespace assay
