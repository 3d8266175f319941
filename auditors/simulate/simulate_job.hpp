// The job of `assay simulate`: reproduces figures of papers, and checks the outcomes that the papers state.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"
#include "assay/auditors/simulate/simulation_report.hpp"

namespace assay {

struct SimulationFacts {
  bool runs = false;  // some experiment runs a policy; the others plot closed forms
};

struct SimulationJob : JobOptions {
  using Facts = SimulationFacts;

  std::vector<std::string> experiments;            // names or patterns
  std::string repetitions, horizon, seed, regret;  // parameters of an experiment
  std::vector<KeyValue> parameters;                // all other parameters
  RunOptions run;
  std::string checkpoint;  // the file that saves finished work; empty for none
  bool check = false;      // whether the command's exit code tells the outcomes
  std::string output;      // the folder for the files of each experiment

  static void fields(const VisitOption<SimulationJob>& visit);
};

struct PreparedSimulation {
  std::vector<std::string> experiments;  // ids
  PreparedJob<SimulationReport> run;

  Result<SimulationReport> operator()(const Session& session) const { return run(session); }
};

// Errors: an unknown experiment, or a parameter that no selected experiment has or that is out of range. The message
// names it.
Result<PreparedSimulation> prepare(const SimulationJob& job);

// The command line that continues the job from its checkpoint.
std::string resume_command(const SimulationJob& job);

}  // namespace assay
