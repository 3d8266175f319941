// The job of a simulation: reproduce figures of papers, and check what the papers say of them.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"
#include "assay/auditors/simulate/simulation_report.hpp"

namespace assay {

struct SimulationFacts {
  bool plays = false;  // some figures are drawn from closed forms, without a run
};

struct SimulationJob : JobOptions {
  using Facts = SimulationFacts;

  std::vector<std::string> experiments;            // names or patterns
  std::string repetitions, horizon, seed, regret;  // parameters of an experiment
  std::vector<KeyValue> parameters;                // the rest of them
  RunOptions run;
  std::string checkpoint;
  bool check = false;
  std::string output;  // folder of each experiment's own files

  static void fields(const VisitOption<SimulationJob>& visit);
};

struct PreparedSimulation {
  std::vector<std::string> experiments;  // ids
  PreparedJob<SimulationReport> run;

  Result<SimulationReport> operator()(const Session& session) const { return run(session); }
};

// Errors: no such experiment, a parameter that none of them has or that does not fit, by name.
Result<PreparedSimulation> prepare(const SimulationJob& job);

// The command that goes on from the checkpoint.
std::string resume_command(const SimulationJob& job);

}  // namespace assay
