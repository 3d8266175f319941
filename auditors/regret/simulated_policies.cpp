#include "assay/auditors/regret/simulated_policies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <variant>

#include "assay/auditors/dueling/scored_duels.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/policies/bandits/anytime_lazy_ucb.hpp"
#include "assay/policies/bandits/dp_successive_elimination.hpp"
#include "assay/policies/bandits/explore_then_commit.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/policies/bandits/ucb1.hpp"
#include "assay/policies/best_arm/instances.hpp"
#include "assay/policies/dueling/double_thompson_sampling.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/ebs_elimination.hpp"
#include "assay/policies/dueling/gopt_dpdb.hpp"
#include "assay/policies/dueling/rmed1.hpp"
#include "assay/policies/dueling/rucb.hpp"
#include "assay/policies/environments/bernoulli_arms.hpp"
#include "assay/policies/environments/stochastic_losses.hpp"
#include "assay/policies/environments/truncated_exponential_arms.hpp"
#include "assay/policies/experts/follow_the_leader.hpp"
#include "assay/policies/experts/hedge.hpp"
#include "assay/policies/experts/random_prefix.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"

namespace assay {
namespace {

// In the order of RegretEnvironment.
using AnyEnvironment = std::variant<BernoulliArms, UniformArms, TruncatedExponentialArms,
                                    StochasticLosses, detail::ScoredDuels>;

Result<StochasticLosses> bernoulli_losses(const std::vector<double>& means) {
  std::vector<TwoPointDistribution> distributions;
  for (const double mean : means) {
    if (!(mean >= 0.0 && mean <= 1.0)) {
      return fail(ErrorCode::kInvalidArgument,
                  "the mean loss of an expert must be 0 to 1, not " + number_text(mean));
    }
    distributions.push_back({0.0, 1.0, mean});
  }
  return StochasticLosses(ASSAY_TRY(TwoPointLosses::create(std::move(distributions))));
}

Result<AnyEnvironment> created_environment(const RegretSetting& setting) {
  switch (setting.environment) {
    case RegretEnvironment::kBernoulliArms:
      return AnyEnvironment(ASSAY_TRY(BernoulliArms::create(setting.values)));
    case RegretEnvironment::kUniformArms:
      return AnyEnvironment(ASSAY_TRY(UniformArms::create(setting.values)));
    case RegretEnvironment::kTruncatedExponentialArms:
      return AnyEnvironment(ASSAY_TRY(TruncatedExponentialArms::create(setting.values)));
    case RegretEnvironment::kBernoulliLosses:
      return AnyEnvironment(ASSAY_TRY(bernoulli_losses(setting.values)));
    case RegretEnvironment::kScoredDuels:
      return AnyEnvironment(ASSAY_TRY(detail::ScoredDuels::create(setting.values)));
  }
  return fail(ErrorCode::kInternal, "an environment of no kind");
}

tl::unexpected<Error> about(const std::string& option, Error error) {
  error.message = option + ": " + error.message;
  error.path.clear();
  return tl::make_unexpected(std::move(error));
}

Result<AnyEnvironment> environment_of(const RegretSetting& setting) {
  auto environment = created_environment(setting);
  if (environment) return environment;
  return about(values_option(setting.environment), environment.error());
}

// The names of the environments whose feedback the policy P understands.
template <class P>
std::string environments_for() {
  std::vector<std::string_view> names;
  [&]<class... E>(std::type_identity<std::variant<E...>>) {
    std::size_t i = 0;
    const auto add = [&](bool fits) {
      if (fits) names.push_back(enum_names(RegretEnvironment{})[i].second);
      ++i;
    };
    (add(EnvironmentOf<E, P>), ...);
  }(std::type_identity<AnyEnvironment>{});
  return either(names, [](std::string_view name) { return std::string(name); });
}

// Sets a size that the setting determines. Error: another size among the given parameters.
Status set_size(std::int64_t& size, std::int64_t needed, std::string_view name,
                const std::vector<KeyValue>& given, std::string_view reason) {
  const bool is_given =
      std::any_of(given.begin(), given.end(), [&](const KeyValue& one) { return one.key == name; });
  if (is_given && size != needed) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} must be {}, {}, not {}", name, needed, reason, size));
  }
  size = needed;
  return {};
}

template <class Config>
Result<Config> sized_configuration(const std::vector<KeyValue>& given,
                                   const RegretSetting& setting) {
  Config config;
  for (const auto& [key, value] : given) ASSAY_TRY(set_field(config, key, value));
  const auto count = static_cast<std::int64_t>(setting.values.size());
  if constexpr (requires { config.actions; }) {
    ASSAY_TRY(set_size(config.actions, count, "actions", given, "as many as the environment has"));
  } else {
    ASSAY_TRY(set_size(config.arms, count, "arms", given, "as many as the environment has"));
  }
  if constexpr (requires { config.horizon; }) {
    ASSAY_TRY(set_size(config.horizon, setting.horizon, "horizon", given, "that of the entry"));
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
          if (!config) return about(choice.parameters_option, config.error());
          const auto policy = P::create(*config);
          if (!policy) return about(choice.parameters_option, policy.error());
          constexpr double kPulls = std::is_same_v<typename P::Action, Duel> ? 2.0 : 1.0;
          SimulatedPolicy simulated{make_series(choice.name, *policy, in)};
          simulated.most_regret =
              kPulls * static_cast<double>(setting.horizon) * simulated.series.largest_gap();
          return simulated;
        } else {
          return fail(
              ErrorCode::kInvalidArgument,
              fmt::format("environment must be {} for the {} {}, not {}", environments_for<P>(),
                          choice.option, choice.name, detail::value_text(setting.environment)));
        }
      },
      environment);
}

struct PolicyRow {
  std::string_view name;
  Result<SimulatedPolicy> (*simulate)(const PolicyChoice&, const RegretSetting&);
};
constexpr std::array<PolicyRow, 16> kPolicies = {
    {{"thompson-sampling", simulate<ModifiedThompsonSampling>},
     {"dp-successive-elimination", simulate<DpSuccessiveElimination>},
     {"anytime-lazy-ucb", simulate<AnytimeLazyUcb>},
     {"explore-then-commit", simulate<ExploreThenCommit>},
     {"ucb1", simulate<Ucb1>},
     {"ftnl", simulate<RnmFtnl>},
     {"random-prefix", simulate<RandomPrefix>},
     {"hedge", simulate<Hedge>},
     {"follow-the-leader", simulate<FollowTheLeader>},
     {"dp-ebs", simulate<DpEbsElimination>},
     {"ebs-local", simulate<LocalEbsElimination>},
     {"ebs-non-private", simulate<EbsElimination>},
     {"gopt-dpdb", simulate<GOptDpdb>},
     {"rucb", simulate<Rucb>},
     {"rmed1", simulate<Rmed1>},
     {"double-thompson-sampling", simulate<DoubleThompsonSampling>}}};

}  // namespace

std::vector<std::string> simulated_policy_names() {
  std::vector<std::string> names;
  for (const PolicyRow& row : kPolicies) names.emplace_back(row.name);
  return names;
}

Result<SimulatedPolicy> simulated_policy(const PolicyChoice& choice, const RegretSetting& setting) {
  for (const PolicyRow& row : kPolicies) {
    if (row.name == choice.name) return row.simulate(choice, setting);
  }
  return fail(ErrorCode::kUnknownKey, choice.option + " '" + choice.name + "' is unknown" +
                                          nearest_hint(choice.name, simulated_policy_names()));
}

}  // namespace assay
