// The environments of regret entries: the sources of the rewards that a policy or program earns.
//
//   environment                  values            a round                        the policy learns
//   bernoulli-arms               mean of each arm  the reward is 0 or 1           the reward
//   uniform-arms                 mean of each arm  the reward is uniform          the reward
//   truncated-exponential-arms   rate of each arm  exponential on [0, 1]          the reward
//   bernoulli-losses             mean of each      the loss is 0 or 1             the losses of all experts
//   scored-duels                 score of each     a duel of two arms             which arm won
// A duel costs twice the best score minus both scores.
// Threads: values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "assay/auditors/dueling/scored_duels.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/best_arm/instances.hpp"
#include "assay/policies/environments/bernoulli_arms.hpp"
#include "assay/policies/environments/stochastic_losses.hpp"
#include "assay/policies/environments/truncated_exponential_arms.hpp"

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

// Of the streams of all environments, so that all policies and programs see the same random numbers.
inline constexpr std::string_view kEnvironmentPurpose = "regret/environment";

struct RegretSetting {
  RegretEnvironment environment = RegretEnvironment::kBernoulliArms;
  std::vector<double> values;  // of the arms or experts, as in the table above
  std::int64_t horizon = 1;
};

// In the order of RegretEnvironment.
using AnyEnvironment = std::variant<BernoulliArms, UniformArms, TruncatedExponentialArms,
                                    StochasticLosses, detail::ScoredDuels>;

// Errors begin with `means` or `rates`: values out of range, or too few.
Result<AnyEnvironment> environment_of(const RegretSetting& setting);

namespace detail {
// The error about an option, whose name begins the message.
tl::unexpected<Error> error_of(const std::string& option, Error error);
}  // namespace detail

}  // namespace assay
