// Experiments: figures of papers that `assay simulate` draws again, by name.
//
// An experiment describes itself, simulates what it needs with the runner that it is given, and
// returns a report whose checks set the paper's stated outcomes beside what came out. Checks decide
// by confidence intervals that hold jointly at the report's confidence, or by computation.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/writers/simulation_report.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/simulation/simulation.hpp"

namespace assay {

struct ExperimentDescription {
  std::string id;
  std::string title;
  std::string about;       // a paragraph
  std::string reproduces;  // paper and figure
  std::vector<FieldDescription> parameters;
  std::vector<std::string> outcomes;  // stated by the paper, as the checks read them
};

class Experiment {
 public:
  virtual ~Experiment() = default;
  virtual ExperimentDescription describe() const = 0;
  // Every parameter as text, those not in `given` at their defaults. Errors name the parameter.
  virtual Result<std::vector<KeyValue>> parameters(const std::vector<KeyValue>& given) const = 0;
  virtual Result<ExperimentReport> run(const std::vector<KeyValue>& given,
                                       SimulationRunner& runner) const = 0;

  bool has_parameter(std::string_view name) const;
};

// Every experiment, in the order that `assay list experiments` prints.
const std::vector<std::unique_ptr<Experiment>>& experiments();

// Errors: an unknown id, with the nearest known one.
Result<const Experiment*> find_experiment(std::string_view id);

// Ids and patterns (* and ?) in the order given, each experiment once. Errors: an unknown id, a
// pattern that selects nothing, no words.
Result<std::vector<const Experiment*>> select_experiments(const std::vector<std::string>& words);

// How `assay simulate` takes a parameter: "--horizon" where it has a flag, else "-p actions".
std::string parameter_name(std::string_view key);

// The command that runs these experiments again, every parameter that they share spelled out.
std::string reproduce_command(const std::vector<std::string>& words,
                              const std::vector<KeyValue>& parameters);

// Defaults, then `given`, then validated.
template <class Config>
Result<Config> read_configuration(const std::vector<KeyValue>& given) {
  Config config;
  for (const auto& [key, value] : given) {
    ASSAY_TRY(set_field(config, key, value));
  }
  ASSAY_TRY(validate(config));
  return config;
}

}  // namespace assay
