#include "assay/auditors/regret/simulated_policies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "assay/auditors/regret/simulate_policy.hpp"
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

struct PolicyRow {
  std::string_view name;
  Result<SimulatedPolicy> (*simulate)(const PolicyChoice&, const RegretSetting&);
};
constexpr std::array<PolicyRow, 22> kPolicies = {
    {{"thompson-sampling", detail::simulate<ModifiedThompsonSampling>},
     {"dp-successive-elimination", detail::simulate<DpSuccessiveElimination>},
     {"anytime-lazy-ucb", detail::simulate<AnytimeLazyUcb>},
     {"explore-then-commit", detail::simulate<ExploreThenCommit>},
     {"ucb1", detail::simulate<Ucb1>},
     {"ftnl", detail::simulate<RnmFtnl>},
     {"random-prefix", detail::simulate<RandomPrefix>},
     {"hedge", detail::simulate<Hedge>},
     {"follow-the-leader", detail::simulate<FollowTheLeader>},
     {"dp-ebs", detail::simulate<DpEbsElimination>},
     {"ebs-local", detail::simulate<LocalEbsElimination>},
     {"ebs-non-private", detail::simulate<EbsElimination>},
     {"gopt-dpdb", detail::simulate<GOptDpdb>},
     {"rucb", detail::simulate<Rucb>},
     {"rmed1", detail::simulate<Rmed1>},
     {"double-thompson-sampling", detail::simulate<DoubleThompsonSampling>},
     {"dp-bai", detail::simulate<DpBai>},
     {"dp-bai-gauss", detail::simulate<DpBaiGauss>},
     {"bai-baseline", detail::simulate<BaiBaseline>},
     {"dp-od", detail::simulate<DpOd>},
     {"od-linbai", detail::simulate<OdLinBai>},
     {"sequential-halving", detail::simulate<SequentialHalving>}}};

}  // namespace

std::string detail::environment_names(const std::vector<bool>& fit) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < fit.size(); ++i) {
    if (fit[i]) names.push_back(enum_names(RegretEnvironment{})[i].second);
  }
  return either(names, [](std::string_view name) { return std::string(name); });
}

bool detail::is_given(const std::vector<KeyValue>& given, std::string_view name) {
  return std::any_of(given.begin(), given.end(),
                     [&](const KeyValue& one) { return one.key == name; });
}

Status detail::set_size(std::int64_t& size, std::int64_t needed, std::string_view name,
                        const std::vector<KeyValue>& given, std::string_view reason) {
  if (is_given(given, name) && size != needed) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} must be {}, {}, not {}", name, needed, reason, size));
  }
  size = needed;
  return {};
}

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
