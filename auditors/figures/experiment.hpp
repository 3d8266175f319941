// Experiments: figures of papers that `assay simulate` reproduces, by name.
//
// An experiment describes itself, simulates with a given runner, and returns a report. The checks of the report compare
// the outcomes that the paper states with the results. They decide by computation, or by confidence intervals that all
// hold together at the report's confidence.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/figures/experiment_report.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/simulation/simulation.hpp"

namespace assay {

struct ExperimentDescription {
  std::string id = {};
  std::string title = {};
  std::string about = {};       // a paragraph
  std::string reproduces = {};  // paper and figure
  std::vector<FieldDescription> parameters = {};
  std::vector<std::string> outcomes = {};  // stated by the paper, as the checks read them
};

// make_experiment below makes one.
struct Experiment {
  ExperimentDescription description;
  // All parameters as text, with defaults for those that are not given. Errors name the parameter.
  std::function<Result<std::vector<KeyValue>>(const std::vector<KeyValue>& given)> parameters;
  std::function<Result<ExperimentReport>(const std::vector<KeyValue>& given,
                                         SimulationRunner& runner)>
      run;

  const ExperimentDescription& describe() const { return description; }
  bool has_parameter(std::string_view name) const;
};

// The form in which `assay simulate` takes a parameter: "--horizon" if it has a flag, else "-p actions".
std::string parameter_name(std::string_view key);

// The command that runs these experiments again, with every parameter that they share.
std::string reproduce_command(const std::vector<std::string>& words,
                              const std::vector<KeyValue>& parameters);

namespace detail {

// A report with its description and parameters, to be filled.
ExperimentReport started_report(const ExperimentDescription& description,
                                const std::vector<KeyValue>& parameters);

}  // namespace detail

// The parameters are the fields of Config; `draw` simulates and fills the report.
template <class Config>
Experiment make_experiment(
    ExperimentDescription description,
    std::function<Status(const Config&, SimulationRunner&, ExperimentReport&)> draw) {
  description.parameters = describe_fields<Config>();
  return {
      description,
      [](const std::vector<KeyValue>& given) -> Result<std::vector<KeyValue>> {
        const auto config = ASSAY_TRY(read_configuration<Config>(given));
        return field_values(config);
      },
      [description, draw = std::move(draw)](const std::vector<KeyValue>& given,
                                            SimulationRunner& runner) -> Result<ExperimentReport> {
        const auto config = ASSAY_TRY(read_configuration<Config>(given));
        ExperimentReport report = detail::started_report(description, field_values(config));
        ASSAY_TRY(draw(config, runner, report));
        return report;
      }};
}

}  // namespace assay
