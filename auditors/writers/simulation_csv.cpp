#include <string_view>

#include "assay/auditors/writers/safe_text.hpp"
#include "assay/auditors/writers/simulation_report.hpp"

namespace assay {
namespace {

// Quoted where a comma, a quote or a leading '#' would be read as something else.
std::string cell(const std::string& text) {
  const std::string plain = plain_text(text);
  if (plain.find_first_of(",\"#") == std::string::npos) return plain;
  std::string quoted = "\"";
  for (const char c : plain) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string at(const std::vector<double>& values, std::size_t i) {
  return i < values.size() ? number_text(values[i]) : "";
}

std::string comment(const std::string& text) { return "# " + plain_text(text) + "\n"; }

void add_curve(const ExperimentReport& experiment, const Curve& curve, std::string& out) {
  const std::string lead = cell(experiment.id) + "," + cell(curve.panel) + "," +
                           cell(curve.series) + "," + cell(curve.x_name) + ",";
  const std::string repetitions =
      curve.repetitions > 0 ? std::to_string(curve.repetitions) : std::string();
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    out += lead + number_text(curve.x[i]) + "," + cell(curve.y_name) + "," + at(curve.y, i) + "," +
           at(curve.low, i) + "," + at(curve.high, i) + "," + repetitions + "\n";
  }
}

}  // namespace

std::string to_csv(const SimulationReport& report) {
  std::string out;
  for (const auto& experiment : report.experiments) {
    out += comment(experiment.id + ": " + experiment.title);
    out += comment("Reproduces " + experiment.reproduces);
    std::string parameters;
    for (const auto& [key, value] : experiment.parameters) {
      parameters += (parameters.empty() ? "" : ", ") + key + "=" + value;
    }
    out += comment("Parameters: " + parameters);
    out += comment("y_low_95 and y_high_95: pointwise 95% band of the mean, normal approximation");
  }
  out += comment("Reproduce: " + report.reproduce + " --format csv");
  out += "experiment,panel,series,x_name,x,y_name,y,y_low_95,y_high_95,repetitions\n";
  for (const auto& experiment : report.experiments) {
    for (const auto& curve : experiment.curves) add_curve(experiment, curve, out);
  }
  return out;
}

}  // namespace assay
