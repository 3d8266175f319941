// Policies: bandits, experts, best-arm identification and duels, each at the level of its theorem.
//
// A pure policy becomes (eps, delta)-DP by the larger e that implies it (pure_share.hpp, one release), Thompson
// sampling by the variance c with which its mu reaches the target's, and hedge by its rate. A policy that is private
// at no setting is included so that the report lists it as not applicable, with the reason.
#include <cmath>
#include <memory>

#include "assay/auditors/bench/policy_play.hpp"
#include "assay/auditors/bench/pure_share.hpp"
#include "assay/auditors/dueling/scored_duels.hpp"
#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/bandits/anytime_lazy_ucb.hpp"
#include "assay/policies/bandits/dp_successive_elimination.hpp"
#include "assay/policies/bandits/modified_thompson_sampling.hpp"
#include "assay/policies/bandits/ucb1.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/instances.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/best_arm/sequential_halving.hpp"
#include "assay/policies/dueling/dp_ebs_elimination.hpp"
#include "assay/policies/dueling/ebs_elimination.hpp"
#include "assay/policies/dueling/rucb.hpp"
#include "assay/policies/environments/bernoulli_arms.hpp"
#include "assay/policies/environments/stochastic_losses.hpp"
#include "assay/policies/experts/follow_the_leader.hpp"
#include "assay/policies/experts/hedge.hpp"
#include "assay/policies/experts/random_prefix.hpp"
#include "assay/policies/experts/rnm_ftnl.hpp"

namespace assay::detail {

PlayStreams play_streams(std::uint64_t seed, std::uint64_t purpose, std::uint64_t repetition) {
  return {ReplayStream({seed, purpose, repetition, 0, Phase::kCertify}),
          ReplayStream({seed, hash_purpose("bench/environment"), repetition, 1, Phase::kCertify})};
}

namespace {

// Data that all candidates of a comparison share.
template <class Setting>
struct PolicyTask {
  Setting setting;
  ApproximateDp target;
  std::uint64_t seed;
  std::shared_ptr<PureShare> shares;

  PolicyTask(const Setting& given, const ApproximateDp& at, std::uint64_t from)
      : setting(given), target(at), seed(from), shares(std::make_shared<PureShare>(at)) {}
  Result<double> epsilon() const {
    auto level = shares->of(1);
    if (!level) return tl::make_unexpected(level.error());
    return level->epsilon;
  }
};

template <class Task>
using PolicyPrepare = Result<ReadyCandidate> (*)(const std::string&, const Task&, std::int64_t);

template <class Task>
void add_policies(BenchComparison& comparison, const Task& task,
                  const std::vector<std::pair<const char*, PolicyPrepare<Task>>>& policies) {
  for (const auto& [id, prepare] : policies) {
    comparison.candidates.push_back(
        {id, [id = std::string(id), prepare = prepare, task](std::int64_t size) {
           return prepare(id, task, size);
         }});
  }
}

KeyValue number_parameter(const char* name, double value) { return {name, number_text(value)}; }

// Sets the epsilon of a configuration that has one to the pure level of the task. Returns the parameters to report.
template <class Config, class Task>
Result<std::vector<KeyValue>> calibrated(Config& config, const Task& task) {
  std::vector<KeyValue> parameters;
  if constexpr (requires { config.epsilon; }) {
    config.epsilon = ASSAY_TRY(task.epsilon());
    parameters = {number_parameter("epsilon", config.epsilon)};
  }
  return parameters;
}

// A policy of a configuration in the environment of the setting, with the parameters that the calibration set.
template <class P, class Setting>
Result<ReadyCandidate> ready_policy(const std::string& id, const PolicyTask<Setting>& task,
                                    std::int64_t size, const typename P::Config& config,
                                    std::vector<KeyValue> parameters) {
  const auto policy = ASSAY_TRY(P::create(config));
  const auto environment = ASSAY_TRY(environment_of(task.setting));
  auto ready = policy_ready(id, task.seed, size, policy, environment, Setting::kPullsARound);
  ready.parameters = std::move(parameters);
  return ready;
}

template <class Config, class Setting>
void set_sizes(Config& config, const Setting& setting, std::int64_t size) {
  if constexpr (requires { config.actions; }) {
    config.actions = setting.actions;
  } else {
    config.arms = setting.arms;
  }
  if constexpr (requires { config.horizon; }) config.horizon = size;
}

template <class P, class Setting>
Result<ReadyCandidate> prepare_policy(const std::string& id, const PolicyTask<Setting>& task,
                                      std::int64_t size, typename P::Config config) {
  set_sizes(config, task.setting, size);
  auto parameters = ASSAY_TRY(calibrated(config, task));
  return ready_policy<P>(id, task, size, config, std::move(parameters));
}
template <class P, class Setting>
Result<ReadyCandidate> prepare_policy(const std::string& id, const PolicyTask<Setting>& task,
                                      std::int64_t size) {
  return prepare_policy<P>(id, task, size, typename P::Config{});
}

BenchComparison regret_comparison(std::int64_t horizon, const char* unit, Relation relation) {
  BenchComparison comparison;
  comparison.size_name = "horizon";
  comparison.size = horizon;
  comparison.unit = unit;
  comparison.measures = {{"mean regret", ErrorBy::kBetting}};
  comparison.relation = relation;
  comparison.view = View::kActions;
  return comparison;
}

// ---- bandits -------------------------------------------------------------------------------------

struct BanditsSetting {
  static constexpr double kPullsARound = 1.0;

  std::int64_t arms = 5;
  std::int64_t horizon = 10'000;
  double gap = 0.2;

  static void fields(auto&& visit) {
    using C = BanditsSetting;
    visit(field("arms", &C::arms, Range{2, 1024}, "N", "Bernoulli arms"));
    visit(field("horizon", &C::horizon, Range{1, 1e7}, "T", "rounds of a run"));
    visit(field("gap", &C::gap, Range{1e-3, 1}, "",
                "the best arm pays 1/2 + gap/2 on average, the others 1/2 - gap/2"));
  }
};
using BanditsTask = PolicyTask<BanditsSetting>;

Result<BernoulliArms> environment_of(const BanditsSetting& setting) {
  std::vector<double> means(static_cast<std::size_t>(setting.arms), 0.5 - 0.5 * setting.gap);
  means[0] = 0.5 + 0.5 * setting.gap;
  return BernoulliArms::create(means);
}

Result<ReadyCandidate> prepare_thompson(const std::string& id, const BanditsTask& task,
                                        std::int64_t size) {
  ASSAY_TRY(check_delta(task.target));
  const double needed = ASSAY_TRY(gaussian_scale(task.target, 1.0)).value.value;  // 1/mu
  ModifiedThompsonSamplingConfig config;
  set_sizes(config, task.setting, size);
  config.variance =
      std::max(1.0, 0.5 * static_cast<double>(size - 1) * needed * needed * (1.0 + 1e-13));
  return ready_policy<ModifiedThompsonSampling>(id, task, size, config,
                                                {number_parameter("variance", config.variance)});
}

BenchComparison bandits_comparison(const BanditsSetting& setting, const ApproximateDp& target,
                                   std::uint64_t seed) {
  auto comparison = regret_comparison(setting.horizon, "round", Relation::kReplaceOneReward);
  add_policies(comparison, BanditsTask(setting, target, seed),
               {{"thompson-sampling", prepare_thompson},
                {"dp-successive-elimination", prepare_policy<DpSuccessiveElimination>},
                {"anytime-lazy-ucb", prepare_policy<AnytimeLazyUcb>},
                {"ucb1", prepare_policy<Ucb1>}});
  return comparison;
}

// ---- experts -------------------------------------------------------------------------------------

struct ExpertsSetting {
  static constexpr double kPullsARound = 1.0;

  std::int64_t actions = 10;
  std::int64_t horizon = 4096;
  double gap = 0.2;

  static void fields(auto&& visit) {
    using C = ExpertsSetting;
    visit(field("actions", &C::actions, Range{2, 1e4}, "K", "number of experts"));
    visit(field("horizon", &C::horizon, Range{1, 1e7}, "T", "rounds of a run"));
    visit(field("gap", &C::gap, Range{1e-3, 1}, "",
                "the best expert loses 1/2 - gap/2 on average, the others 1/2 + gap/2"));
  }
};
using ExpertsTask = PolicyTask<ExpertsSetting>;

Result<StochasticLosses> environment_of(const ExpertsSetting& setting) {
  std::vector<TwoPointDistribution> distributions(static_cast<std::size_t>(setting.actions),
                                                  {0.0, 1.0, 0.5 + 0.5 * setting.gap});
  distributions[0].probability = 0.5 - 0.5 * setting.gap;
  return StochasticLosses(ASSAY_TRY(TwoPointLosses::create(distributions)));
}

template <LeaderNoise noise>
Result<ReadyCandidate> prepare_ftnl(const std::string& id, const ExpertsTask& task,
                                    std::int64_t size) {
  RnmFtnlConfig config;
  config.noise = noise;
  return prepare_policy<RnmFtnl>(id, task, size, config);
}

Result<ReadyCandidate> prepare_hedge(const std::string& id, const ExpertsTask& task,
                                     std::int64_t size) {
  const double epsilon = ASSAY_TRY(task.epsilon());
  HedgeConfig config;
  set_sizes(config, task.setting, size);
  if (size > 1) {  // (3) of its header, solved for the rate
    const double rounds = std::sqrt(static_cast<double>(size)) - 1.0;
    const double logs = std::sqrt(portable_log(static_cast<double>(task.setting.actions)));
    config.rate = epsilon / (4.0 * logs * rounds) * (1.0 - 1e-12);
  }
  return ready_policy<Hedge>(id, task, size, config, {number_parameter("rate", config.rate)});
}

BenchComparison experts_comparison(const ExpertsSetting& setting, const ApproximateDp& target,
                                   std::uint64_t seed) {
  auto comparison = regret_comparison(setting.horizon, "round", Relation::kReplaceOneLossVector);
  add_policies(comparison, ExpertsTask(setting, target, seed),
               {{"rnm-ftnl-laplace", prepare_ftnl<LeaderNoise::kLaplace>},
                {"rnm-ftnl-exponential", prepare_ftnl<LeaderNoise::kExponential>},
                {"rnm-ftnl-gumbel", prepare_ftnl<LeaderNoise::kGumbel>},
                {"random-prefix", prepare_policy<RandomPrefix>},
                {"hedge", prepare_hedge},
                {"follow-the-leader", prepare_policy<FollowTheLeader>}});
  return comparison;
}

// ---- best arm ------------------------------------------------------------------------------------

struct BestArmSettings {
  std::int64_t budget = 1024;

  static void fields(auto&& visit) {
    visit(field("budget", &BestArmSettings::budget, Range{64, 1e7}, "T",
                "pulls in all, over the 30 arms of the paper's figure 1"));
  }
};
using BestArmTask = PolicyTask<BestArmSettings>;

template <class P>
Result<ReadyCandidate> prepare_best_arm(const std::string& id, const BestArmTask& task,
                                        std::int64_t size) {
  const auto instance = figure1_instance(task.seed);
  typename P::Config config;
  config.budget = size;
  config.arms = static_cast<std::int64_t>(instance.means.size());
  std::vector<KeyValue> parameters;
  if constexpr (requires { config.delta; }) {
    ASSAY_TRY(set_gaussian_level(config, task.target));
    parameters = {number_parameter("epsilon", config.epsilon),
                  number_parameter("delta", config.delta)};
  } else {
    parameters = ASSAY_TRY(calibrated(config, task));
  }
  const auto created = [&] {
    if constexpr (requires { P::create(config, instance.features); }) {
      return P::create(config, instance.features);
    } else {
      return P::create(config);
    }
  };
  const P policy = ASSAY_TRY(created());
  const auto arms = ASSAY_TRY(UniformArms::create(instance.means));
  ReadyCandidate ready = policy_ready(id, task.seed, size, policy, arms);
  ready.parameters = std::move(parameters);
  ready.most_error = 1.0;
  ready.sample = [policy, arms, size, seed = task.seed, best = instance.best(),
                  purpose = bench_purpose(id, size, "choices")](std::uint64_t repetition) {
    P played = policy;
    auto environment = arms;
    auto streams = play_streams(seed, purpose, repetition);
    play(played, environment, size, streams.choices, streams.luck,
         [](std::int64_t, int, double) {});
    return played.recommendation() == best ? 0.0 : 1.0;
  };
  return ready;
}

BenchComparison best_arm_comparison(const BestArmSettings& setting, const ApproximateDp& target,
                                    std::uint64_t seed) {
  BenchComparison comparison;
  comparison.size_name = "budget";
  comparison.size = setting.budget;
  comparison.least_size = 64;
  comparison.unit = "pull";
  comparison.measures = {{"P(wrong arm)", ErrorBy::kClopperPearson}};
  comparison.relation = Relation::kReplaceOneColumn;
  comparison.view = View::kActions;
  add_policies(comparison, BestArmTask(setting, target, seed),
               {{"dp-bai", prepare_best_arm<DpBai>},
                {"dp-bai-gauss", prepare_best_arm<DpBaiGauss>},
                {"bai-baseline", prepare_best_arm<BaiBaseline>},
                {"dp-od", prepare_best_arm<DpOd>},
                {"od-lin-bai", prepare_best_arm<OdLinBai>},
                {"sequential-halving", prepare_best_arm<SequentialHalving>}});
  return comparison;
}

// ---- duels ---------------------------------------------------------------------------------------

struct DuelsSetting {
  static constexpr double kPullsARound = 2.0;

  std::int64_t arms = 5;
  std::int64_t horizon = 16'384;

  static void fields(auto&& visit) {
    using C = DuelsSetting;
    visit(field("arms", &C::arms, Range{2, 256}, "K", "arms with scores from 0 to 1, evenly"));
    visit(field("horizon", &C::horizon, Range{1, 1e7}, "T", "duels of a run"));
  }
};
using DuelsTask = PolicyTask<DuelsSetting>;

Result<ScoredDuels> environment_of(const DuelsSetting& setting) {
  std::vector<double> scores;
  for (std::int64_t i = 0; i < setting.arms; ++i) {
    scores.push_back(1.0 - static_cast<double>(i) / static_cast<double>(setting.arms - 1));
  }
  return ScoredDuels::create(scores);
}

BenchComparison duels_comparison(const DuelsSetting& setting, const ApproximateDp& target,
                                 std::uint64_t seed) {
  auto comparison = regret_comparison(setting.horizon, "duel", Relation::kReplaceOnePreferences);
  add_policies(comparison, DuelsTask(setting, target, seed),
               {{"dp-ebs", prepare_policy<DpEbsElimination>},
                {"local-ebs", prepare_policy<LocalEbsElimination>},
                {"ebs", prepare_policy<EbsElimination>},
                {"rucb", prepare_policy<Rucb>}});
  return comparison;
}

}  // namespace

BenchGroup bandits_group() { return group_of("bandits", "regret of bandits", bandits_comparison); }
BenchGroup experts_group() {
  return group_of("experts", "regret against the best expert", experts_comparison);
}
BenchGroup best_arm_group() {
  return group_of("best-arm", "the best of 30 arms with a budget of pulls", best_arm_comparison);
}
BenchGroup duels_group() { return group_of("duels", "regret of duels", duels_comparison); }

}  // namespace assay::detail
