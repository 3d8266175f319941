// The job of `assay frontier`: searches, for each c2, the c1 for which the conjecture of the experts paper is not
// refuted.
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
  std::vector<LeaderNoise> noises;  // if empty, the default of the plan
  std::vector<double> constants;    // the c2; if empty, the default of the plan
  std::string checkpoint;           // empty for none
  RunOptions run;

  static void fields(const VisitOption<FrontierJob>& visit);
};

// Errors name the option and its range.
Result<PreparedJob<FrontierReport>> prepare(const FrontierJob& job);

}  // namespace assay
