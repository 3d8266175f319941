// The policies whose regret can be simulated, by name.
//
// A policy has the name of its audit case, if it has one, and the same parameters. Sparse policies are absent because
// their contexts have no bound. The number of arms and the horizon come from the setting, not from the defaults of the
// policy; so do the budget of a best-arm policy, and the dimension of its features unless it is given.
// Regret: policies/simulation/series.hpp, (1); of a best-arm policy the simple regret, the gap of the arm that it
// recommends, because its pulls are to find an arm and not to earn rewards.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/regret/regret_environment.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/simulation/series.hpp"

namespace assay {

struct SimulatedPolicy {
  SimulatedSeries series;    // in the environment of the setting
  double most_regret = 0.0;  // no run has a larger one; 0 if all actions are equally good
  bool is_simple = false;    // whether the regret is the simple one
};

// A policy as a job names it. Errors name the options that gave the name and the parameters.
struct PolicyChoice {
  std::string name;
  std::vector<KeyValue> parameters;
  std::string option = "policy";
  std::string parameters_option = "parameters";
};

// In the order in which messages list them.
std::vector<std::string> simulated_policy_names();

// Errors begin with the name of an option: an unknown policy; an environment that gives another feedback; means or
// rates out of range; parameters that the policy does not have, that are out of range, or that contradict the setting.
Result<SimulatedPolicy> simulated_policy(const PolicyChoice& choice, const RegretSetting& setting);

}  // namespace assay
