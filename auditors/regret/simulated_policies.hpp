// The policies whose regret can be simulated, by name, and the environments in which they run.
//
// A policy has the name of its audit case, if it has one, and the same parameters. Policies for best-arm
// identification are absent because their pulls have no regret to bound, and sparse ones because their contexts have
// no bound. The number of arms and the horizon come from the setting, not from the defaults of the policy.
//
//   environment                  values            a round                        the policy learns
//   bernoulli-arms               mean of each arm  the reward is 0 or 1           the reward
//   uniform-arms                 mean of each arm  the reward is uniform          the reward
//   truncated-exponential-arms   rate of each arm  exponential on [0, 1]          the reward
//   bernoulli-losses             mean of each      the loss is 0 or 1             the losses of all experts
//   scored-duels                 score of each     a duel of two arms             which arm won
// Regret: policies/simulation/series.hpp, (1). A duel costs twice the best score minus both scores.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/simulation/series.hpp"

namespace assay {

enum class RegretEnvironment {
  kBernoulliArms,
  kUniformArms,
  kTruncatedExponentialArms,
  kBernoulliLosses,
  kScoredDuels
};
constexpr std::array<std::pair<RegretEnvironment, std::string_view>, 5> enum_names(
    RegretEnvironment) {
  return {{{RegretEnvironment::kBernoulliArms, "bernoulli-arms"},
           {RegretEnvironment::kUniformArms, "uniform-arms"},
           {RegretEnvironment::kTruncatedExponentialArms, "truncated-exponential-arms"},
           {RegretEnvironment::kBernoulliLosses, "bernoulli-losses"},
           {RegretEnvironment::kScoredDuels, "scored-duels"}}};
}

// The option that gives the values of the environment.
constexpr const char* values_option(RegretEnvironment environment) {
  return environment == RegretEnvironment::kTruncatedExponentialArms ? "rates" : "means";
}

struct RegretSetting {
  RegretEnvironment environment = RegretEnvironment::kBernoulliArms;
  std::vector<double> values;  // of the arms or experts, as in the table above
  std::int64_t horizon = 1;
};

struct SimulatedPolicy {
  SimulatedSeries series;    // in the environment of the setting
  double most_regret = 0.0;  // no run has a larger one; 0 if all actions are equally good
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
