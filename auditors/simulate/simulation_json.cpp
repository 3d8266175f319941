#include "assay/auditors/simulate/simulation_report.hpp"
#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"

namespace assay {

void fields(const OutcomeCheck& check, Fields visit) {
  visit.about("check", "An outcome that the paper states, and the observed numbers.");
  visit("name", check.name, "The name of the check, unique in its experiment.");
  visit("stated", check.stated, "The statement of the paper, with its place.");
  visit("rule", check.rule, "The rule by which the statement is decided.");
  visit("observed", check.observed, "The numbers that decided it.");
  visit("outcome", check.outcome,
        "holds or fails with the experiment's confidence; undecided if the repetitions do not "
        "suffice.");
}

void fields(const Curve& curve, Fields visit) {
  visit.about("curve", "One curve in full resolution.");
  visit("panel", curve.panel, "The part of the figure.");
  visit("series", curve.series,
        "The line of the panel. With `panel`, `x_name` and `y_name` it identifies the curve.");
  visit("x_name", curve.x_name, "The quantity x, with its unit.");
  visit("y_name", curve.y_name,
        "The quantity y, with its unit: reward units for regret, nats for epsilon.");
  visit("x", curve.x, "Ascending.");
  visit("y", curve.y,
        "A value for each point, which is a mean over repetitions or a computed value.");
  visit.or_null(
      "y_low_95", curve.low,
      "The lower end of a pointwise 95% band of the mean by the normal approximation; null if y "
      "is computed or has no band.");
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
        "Rounded cells as text, one for each column. `curves` has the exact numbers.");
}

void fields(const ExperimentReport& experiment, Fields visit) {
  visit.about("experiment", "One experiment.");
  visit("id", experiment.id, "The name for `assay simulate`.");
  visit("title", experiment.title);
  visit("reproduces", experiment.reproduces, "The paper and the figure.");
  visit("parameters", experiment.parameters, "Every parameter with its value.");
  visit("caption", experiment.caption,
        "The caption of the figure, with parameters and repetitions.");
  visit("checks", experiment.checks, "Stated outcomes.");
  visit("confidence", experiment.confidence, kProbability,
        "The probability that all decided checks of this experiment are decided correctly; 1 if "
        "nothing was sampled.");
  visit("notes", experiment.notes, "Notes to read before quoting a number.");
  visit("values", experiment.values);
  visit("curves", experiment.curves, "The curves of the figure, and others that were recorded.");
  visit("reproduce", experiment.reproduce, "The command that reproduces this experiment.");
}

void fields(const SimulationReport& report, Fields visit) {
  report_head(
      visit, kSimulationReportSchema,
      "The result of `assay simulate`. The request determines everything outside `meta`: it is "
      "the same in every run, with any number of threads, resumed or not, byte for byte. "
      "Infinities are the texts \"inf\" and \"-inf\". Within one version, no key changes its "
      "meaning or goes away.");
  visit(
      "outcome", [&] { return overall_outcome(report); },
      "fails if a check of any experiment fails, else undecided if one is undecided, else holds. "
      "The exit status of --check follows from it.");
  visit("experiments", report.experiments, kNotEmpty, "The experiments, in the order asked for.");
  report_reproduce(visit, report.reproduce);
  report_meta(visit, report.meta, [&] {
    visit("rounds_played", report.meta.rounds_played, kCount,
          "The rounds that were simulated, without those read from a checkpoint.");
  });
}

std::string to_json(const SimulationReport& report) { return json_text_of(report); }
std::string simulation_report_schema() { return schema_of<SimulationReport>(); }

}  // namespace assay
