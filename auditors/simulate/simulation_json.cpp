#include "assay/auditors/simulate/simulation_report.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"

namespace assay {

void fields(const OutcomeCheck& check, Fields visit) {
  visit.about("check", "A stated outcome of the paper beside what was observed.");
  visit("name", check.name, "The predicate; unique in its experiment.");
  visit("stated", check.stated, "What the paper says, with the place.");
  visit("rule", check.rule, "How the statement is read here.");
  visit("observed", check.observed, "The numbers that decided it.");
  visit(
      "outcome", check.outcome,
      "holds or fails with the experiment's confidence; undecided where the repetitions do not decide.");
}

void fields(const Curve& curve, Fields visit) {
  visit.about("curve", "One curve in full resolution.");
  visit("panel", curve.panel, "The part of the figure.");
  visit("series", curve.series,
        "The line of the panel; with `panel`, `x_name` and `y_name` it names the curve.");
  visit("x_name", curve.x_name, "What x is, with its unit.");
  visit("y_name", curve.y_name,
        "What y is, with its unit: reward units for regret, nats for epsilon.");
  visit("x", curve.x, "Ascending.");
  visit("y", curve.y, "One a point: a mean over repetitions, or computed.");
  visit.or_null(
      "y_low_95", curve.low,
      "The lower end of a pointwise 95% band of the mean by the normal approximation; null where y is "
      "computed or has no band.");
  visit.or_null("y_high_95", curve.high, "The upper end of that band.");
  visit("repetitions", curve.repetitions, kCount,
        "The repetitions behind each mean; 0 for computed curves.");
}

void fields(const ValueTable& table, Fields visit) {
  visit.about("values", "The table of the text report.");
  visit("caption", table.caption);
  visit(
      "columns",
      [&] {
        std::vector<std::string> names;
        for (const auto& column : table.columns) names.push_back(column.name);
        return names;
      },
      "Names.");
  visit("rows", table.rows,
        "Cells as text, one a column, rounded for people; `curves` has the numbers in full.");
}

void fields(const ExperimentReport& experiment, Fields visit) {
  visit.about("experiment", "One experiment.");
  visit("id", experiment.id, "As `assay simulate` takes it.");
  visit("title", experiment.title);
  visit("reproduces", experiment.reproduces, "The paper and the figure.");
  visit("parameters", experiment.parameters, "Every parameter with its value.");
  visit("caption", experiment.caption, "What is drawn, with parameters and repetitions.");
  visit("checks", experiment.checks, "Stated outcomes.");
  visit(
      "confidence", experiment.confidence, kProbability,
      "The probability that all decided checks of this experiment are decided rightly; 1 where nothing was "
      "sampled.");
  visit("notes", experiment.notes, "What a reader has to know before quoting a number.");
  visit("values", experiment.values);
  visit("curves", experiment.curves, "Everything that is drawn, and what was recorded beside it.");
  visit("reproduce", experiment.reproduce, "The command that makes this experiment again.");
}

void fields(const SimulationReport& report, Fields visit) {
  report_head(
      visit, kSimulationReportSchema,
      "The result of `assay simulate`. Everything outside `meta` is determined by the request: the same "
      "on every run and number of threads, resumed or not, byte for byte. Infinities are the texts "
      "\"inf\" and \"-inf\". Within one version, no key changes its meaning or goes away.");
  visit(
      "outcome", [&] { return overall_outcome(report); },
      "fails if a check of any experiment fails, else undecided if one is, else holds: what the exit status of "
      "--check says.");
  visit("experiments", report.experiments, kNotEmpty, "In the order asked for.");
  report_reproduce(visit, report.reproduce);
  report_meta(visit, report.meta, [&] {
    visit("rounds_played", report.meta.rounds_played, kCount,
          "Without those read from a checkpoint.");
  });
}

std::string to_json(const SimulationReport& report) { return json_text_of(report); }
std::string simulation_report_schema() { return schema_of<SimulationReport>(); }

}  // namespace assay
