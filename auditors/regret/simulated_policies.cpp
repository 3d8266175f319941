#include "assay/auditors/regret/simulated_policies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>
#include <variant>

#include "assay/auditors/best_arm/figures/trial_series.hpp"
#include "assay/mechanisms/core/contains.hpp"
#include "assay/mechanisms/core/messages.hpp"
#include "assay/policies/bandits/anytime_lazy_ucb.hpp"
#include "assay/policies/bandits/dp_successive_elimination.hpp"
#include "assay/policies/bandits/explore_then_commit.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/policies/bandits/ucb1.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/best_arm/sequential_halving.hpp"
#include "assay/policies/dueling/double_thompson_sampling.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/ebs_elimination.hpp"
#include "assay/policies/dueling/gopt_dpdb.hpp"
#include "assay/policies/dueling/rmed1.hpp"
#include "assay/policies/dueling/rucb.hpp"
#include "assay/policies/experts/follow_the_leader.hpp"
#include "assay/policies/experts/hedge.hpp"
#include "assay/policies/experts/random_prefix.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"

namespace assay {
namespace {

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

bool is_given(const std::vector<KeyValue>& given, std::string_view name) {
  return std::any_of(given.begin(), given.end(),
                     [&](const KeyValue& one) { return one.key == name; });
}

// Sets a size that the setting determines. Error: another size among the given parameters.
Status set_size(std::int64_t& size, std::int64_t needed, std::string_view name,
                const std::vector<KeyValue>& given, std::string_view reason) {
  if (is_given(given, name) && size != needed) {
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
          if (!config) return detail::error_of(choice.parameters_option, config.error());
          const auto policy = P::create(*config);
          if (!policy) return detail::error_of(choice.parameters_option, policy.error());
          if constexpr (requires { policy->recommendation(); }) {
            auto trials = detail::make_trial_series(choice.name, *policy, in);
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
constexpr std::array<PolicyRow, 22> kPolicies = {
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
     {"double-thompson-sampling", simulate<DoubleThompsonSampling>},
     {"dp-bai", simulate<DpBai>},
     {"dp-bai-gauss", simulate<DpBaiGauss>},
     {"bai-baseline", simulate<BaiBaseline>},
     {"dp-od", simulate<DpOd>},
     {"od-linbai", simulate<OdLinBai>},
     {"sequential-halving", simulate<SequentialHalving>}}};

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
  // docs/ci.md: the regret of a round is not bounded, as contexts and parameters are not.
  constexpr std::array<std::string_view, 3> kSparse = {"fliphat", "iht-bandit", "lasso-bandit"};
  if (contains(kSparse, choice.name)) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format(
            "{} '{}' has no regret entry: the regret of a sparse linear bandit has no bound, which a "
            "certified mean needs. `assay simulate` estimates it",
            choice.option, choice.name));
  }
  return fail(ErrorCode::kUnknownKey, choice.option + " '" + choice.name + "' is unknown" +
                                          nearest_hint(choice.name, simulated_policy_names()));
}

}  // namespace assay
