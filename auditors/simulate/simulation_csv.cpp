#include <string_view>

#include "assay/auditors/simulate/simulation_report.hpp"
#include "assay/auditors/text/csv_text.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay {
namespace {

using detail::csv_cell;
using detail::csv_comment;

std::string at(const std::vector<double>& values, std::size_t i) {
  return i < values.size() ? number_text(values[i]) : "";
}

void add_curve(const ExperimentReport& experiment, const Curve& curve, std::string& out) {
  const std::string lead = csv_cell(experiment.id) + "," + csv_cell(curve.panel) + "," +
                           csv_cell(curve.series) + "," + csv_cell(curve.x_name) + ",";
  const std::string repetitions =
      curve.repetitions > 0 ? std::to_string(curve.repetitions) : std::string();
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    out += lead + number_text(curve.x[i]) + "," + csv_cell(curve.y_name) + "," + at(curve.y, i) +
           "," + at(curve.low, i) + "," + at(curve.high, i) + "," + repetitions + "\n";
  }
}

}  // namespace

std::string to_csv(const SimulationReport& report) {
  std::string out;
  for (const auto& experiment : report.experiments) {
    out += csv_comment(experiment.id + ": " + experiment.title);
    out += csv_comment("Reproduces " + experiment.reproduces);
    out += csv_comment("Parameters: " + parameters_text(experiment.parameters, "="));
    out +=
        csv_comment("y_low_95 and y_high_95: pointwise 95% band of the mean, normal approximation");
  }
  out += csv_comment("Reproduce: " + report.reproduce + " --format csv");
  out += "experiment,panel,series,x_name,x,y_name,y,y_low_95,y_high_95,repetitions\n";
  for (const auto& experiment : report.experiments) {
    for (const auto& curve : experiment.curves) add_curve(experiment, curve, out);
  }
  return out;
}

}  // namespace assay
