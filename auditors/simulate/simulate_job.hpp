// The job of `assay simulate`: reproduce figures of papers, and check what the papers say about them.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"
#include "assay/auditors/simulate/simulation_report.hpp"

namespace assay {

struct SimulationFacts {
  bool runs = false;  // some experiment runs a policy; others draw closed forms
};

struct SimulationJob : JobOptions {
  using Facts = SimulationFacts;

  std::vector<std::string> experiments;            // names or patterns
  std::string repetitions, horizon, seed, regret;  // parameters of an experiment
  std::vector<KeyValue> parameters;                // the rest of them
  RunOptions run;
  std::string checkpoint;
  bool check = false;
  std::string output;  // the folder for the files of each experiment

  static void fields(const VisitOption<SimulationJob>& visit);
};

struct PreparedSimulation {
  std::vector<std::string> experiments;  // ids
  PreparedJob<SimulationReport> run;

  Result<SimulationReport> operator()(const Session& session) const { return run(session); }
};

// Errors: an unknown experiment, a parameter that no experiment has or that does not fit. They name it.
Result<PreparedSimulation> prepare(const SimulationJob& job);

// The command that continues from the checkpoint.
std::string resume_command(const SimulationJob& job);

}  // namespace assay
