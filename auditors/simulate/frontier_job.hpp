// The job of `assay frontier`: search the conjecture of the experts paper for the c1 that survives at each c2.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/session/run_options.hpp"
#include "assay/auditors/session/session.hpp"
#include "assay/auditors/simulate/frontier_report.hpp"

namespace assay {

struct FrontierJob : JobOptions {
  using Plan = expert_checks::FrontierPlan;

  std::uint64_t seed = Plan{}.seed;
  std::int64_t budget = Plan{}.chunks;
  std::int64_t epochs = Plan{}.most_epochs;
  Number actions = {Plan{}.most_actions, "1e6"};
  std::vector<LeaderNoise> noises;  // the default of a plan if empty
  std::vector<double> constants;    // c2, likewise
  std::string checkpoint;           // empty for none
  RunOptions run;

  static void fields(const VisitOption<FrontierJob>& visit);
};

// Errors name the option and its range.
Result<PreparedJob<FrontierReport>> prepare(const FrontierJob& job);

}  // namespace assay
