// The runs of one policy class in an environment, for its regret. simulated_policies.hpp has the policies by name;
// auditors/check/ runs a class of the user's own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "assay/auditors/best_arm/figures/trial_series.hpp"
#include "assay/auditors/regret/simulated_policies.hpp"

namespace assay::detail {

// The environments at these places of the list, as a message names them.
std::string environment_names(const std::vector<bool>& fit);
bool is_given(const std::vector<KeyValue>& given, std::string_view name);
// Sets a size that the setting determines. Error: another size among the given parameters.
Status set_size(std::int64_t& size, std::int64_t needed, std::string_view name,
                const std::vector<KeyValue>& given, std::string_view reason);

// Whether P understands the feedback of each environment.
template <class P>
std::vector<bool> fitting_environments() {
  return []<class... E>(std::type_identity<std::variant<E...>>) {
    return std::vector<bool>{EnvironmentOf<E, P>...};
  }(std::type_identity<AnyEnvironment>{});
}

template <class Config>
Result<Config> sized_configuration(const std::vector<KeyValue>& given,
                                   const RegretSetting& setting) {
  Config config;
  for (const auto& [key, value] : given) ASSAY_TRY(set_field(config, key, value));
  const auto count = static_cast<std::int64_t>(setting.values.size());
  if constexpr (requires { config.actions; }) {
    ASSAY_TRY(set_size(config.actions, count, "actions", given, "as many as the environment has"));
  } else if constexpr (requires { config.arms; }) {
    ASSAY_TRY(set_size(config.arms, count, "arms", given, "as many as the environment has"));
  }
  if constexpr (requires { config.horizon; }) {
    ASSAY_TRY(set_size(config.horizon, setting.horizon, "horizon", given, "that of the entry"));
  }
  if constexpr (requires { config.budget; }) {
    ASSAY_TRY(
        set_size(config.budget, setting.horizon, "budget", given, "the horizon of the entry"));
  }
  // With fewer features than arms the means would have to be linear in them.
  if constexpr (requires { config.dimension; }) {
    if (!is_given(given, "dimension")) config.dimension = count;
  }
  ASSAY_TRY(validate(config));
  return config;
}

template <class P>
Result<SimulatedPolicy> simulate(const PolicyChoice& choice, const RegretSetting& setting) {
  const auto environment = ASSAY_TRY(environment_of(setting));
  return std::visit(
      [&]<class E>(const E& in) -> Result<SimulatedPolicy> {
        if constexpr (EnvironmentOf<E, P>) {
          const auto config = sized_configuration<typename P::Config>(choice.parameters, setting);
          if (!config) return error_of(choice.parameters_option, config.error());
          const auto policy = P::create(*config);
          if (!policy) return error_of(choice.parameters_option, policy.error());
          if constexpr (requires { policy->recommendation(); }) {
            auto trials = make_trial_series(choice.name, *policy, in);
            const double most = trials.largest_gap();
            return SimulatedPolicy{std::move(trials), most, true};
          } else {
            constexpr double kPulls = std::is_same_v<typename P::Action, Duel> ? 2.0 : 1.0;
            auto series = make_series(choice.name, *policy, in);
            const double most =
                kPulls * static_cast<double>(setting.horizon) * series.largest_gap();
            return SimulatedPolicy{std::move(series), most};
          }
        } else {
          return fail(ErrorCode::kInvalidArgument,
                      "environment must be " + environment_names(fitting_environments<P>()) +
                          " for the " + choice.option + " " + choice.name + ", not " +
                          value_text(setting.environment));
        }
      },
      environment);
}

}  // namespace assay::detail
