// Laws of best-arm policies over generated instances: the budget is spent, never exceeded; every
// arm of a phase gets a pull; a run is a function of its streams; neighbours move the release of
// a private policy by at most its level.
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/early_stopping.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/best_arm/reward_table.hpp"
#include "assay/policies/best_arm/sequential_halving.hpp"
#include "assay/policies/linear/linear_algebra.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

// Whole numbers make dependent and equal features common.
ArmFeatures draw_features(std::int64_t most_arms) {
  const auto arms = *rc::gen::inRange<std::int64_t>(2, most_arms + 1);
  const auto dimension = *rc::gen::inRange<std::int64_t>(1, 7);
  const bool whole = *rc::gen::arbitrary<bool>();
  ArmFeatures out{arms, dimension, {}};
  for (std::int64_t k = 0; k < arms * dimension; ++k) {
    const int x = *rc::gen::inRange(-3, 4);
    out.values.push_back(whole ? x : x + 0.001 * *rc::gen::inRange(-499, 500));
  }
  for (std::int64_t i = 0; i < arms; ++i) {
    const auto a = out.of(i);
    if (std::all_of(a.begin(), a.end(), [](double x) { return x == 0.0; })) a[0] = 1.0;
  }
  return out;
}

std::shared_ptr<const InputTable> draw_table(std::int64_t rounds, std::int64_t arms) {
  ReplayStream random = arbitrary_stream();
  auto table = InputTable::zeros(rounds, arms);
  for (double& value : table.values) value = random.uniform() < 0.5 ? 0.0 : random.uniform();
  return std::make_shared<const InputTable>(std::move(table));
}

// The policy with at least the smallest budget that it takes.
template <class P>
P draw_policy(typename P::Config config, const ArmFeatures& features) {
  config.budget = 1;
  auto policy = P::create(config, features);
  if (!policy) {
    const auto& text = policy.error().message;
    config.budget = std::stoll(text.substr(text.rfind(' ')));
    RC_ASSERT(!P::create(
        [&] {
          auto less = config;
          --less.budget;
          return less;
        }(),
        features));
    config.budget += *rc::gen::inRange<std::int64_t>(0, 60);
    policy = P::create(config, features);
  }
  RC_ASSERT(bool(policy));
  return *policy;
}

template <class P>
void check_run(const P& policy, std::int64_t arms, double level) {
  const auto table = draw_table(policy.budget(), arms);
  const auto index = *rc::gen::element(TableIndex::kPull, TableIndex::kTime);
  const ReplayStream random = arbitrary_stream();
  const auto rewards = RewardTable::create(table, index).value();
  const auto run = run_on_table(policy, rewards, random).value();
  RC_ASSERT(static_cast<std::int64_t>(run.transcript.size()) == policy.budget() + 1);
  std::size_t active = static_cast<std::size_t>(arms);
  for (const auto& phase : run.phases) {
    RC_ASSERT(phase.plan->active.size() == active);
    RC_ASSERT(*std::min_element(phase.plan->pulls.begin(), phase.plan->pulls.end()) >= 1);
    RC_ASSERT(static_cast<std::int64_t>(phase.survivors.size()) == phase.plan->keep);
    active = phase.survivors.size();
  }
  RC_ASSERT(active == 1u);
  RC_ASSERT(run_on_table(policy, rewards, random)->transcript == run.transcript);
  if (!std::isfinite(level)) return;
  const auto row = *rc::gen::inRange<std::int64_t>(0, policy.budget());
  const auto arm = *rc::gen::inRange(0, static_cast<int>(arms));
  std::vector<double> changed(table->row(row).begin(), table->row(row).end());
  for (double& value : changed) value = 1.0 - value;
  const auto pair =
      index == TableIndex::kPull
          ? RewardPair::replace_cell(rewards, row, arm, changed[static_cast<std::size_t>(arm)])
          : RewardPair::replace_column(rewards, row, changed);
  RC_ASSERT(std::fabs(*release_loss(run, *pair)) <= level * (1.0 + 1e-9));
  const auto other = run_on_table(policy, pair->table(Side::kNeighbour), random).value();
  RC_ASSERT(std::fabs(*release_loss(other, *pair)) <= level * (1.0 + 1e-9));
}

RC_GTEST_PROP(BestArmProperty, EveryPolicySpendsItsBudgetAndKeepsItsLevel, ()) {
  const auto features = draw_features(40);
  const auto schedule = *rc::gen::element(Schedule::kProof, Schedule::kLiteral);
  const double epsilon = *rc::gen::element(0.1, 1.0, 7.0);
  const DpBaiConfig bai{.epsilon = epsilon, .schedule = schedule};
  check_run(draw_policy<DpBai>(bai, features), features.arms, epsilon);
  check_run(draw_policy<BaiBaseline>(bai, features), features.arms, epsilon);
  check_run(draw_policy<DpOd>({.epsilon = epsilon}, features), features.arms, epsilon);
  check_run(draw_policy<OdLinBai>({}, features), features.arms, HUGE_VAL);
  check_run(draw_policy<DpBaiGauss>({.schedule = schedule}, features), features.arms, HUGE_VAL);
  const auto budget = 64 * *rc::gen::inRange<std::int64_t>(4, 9);
  check_run(SequentialHalving::create({.arms = features.arms, .budget = budget}).value(),
            features.arms, HUGE_VAL);
}

RC_GTEST_PROP(BestArmProperty, CollectionsAndDesignsKeepTheirCertificates, ()) {
  const auto features = draw_features(40);
  std::vector<int> active;
  for (int i = 0; i < features.arms; ++i) {
    if (*rc::gen::inRange(0, 3) > 0) active.push_back(i);
  }
  if (active.empty()) active.push_back(0);
  const auto vectors = in_their_span(features, active);
  RC_ASSERT(vectors.dimension <= std::min<std::int64_t>(features.dimension, vectors.arms));
  const auto collection = max_det_collection(vectors);
  RC_ASSERT(collection.largest <= 1.0 + kMaxDetTolerance);
  RC_ASSERT(collection.largest >= 1.0 - 1e-12);
  const auto design = g_optimal_design(vectors);
  RC_ASSERT(design.gap <= 1e-6);
  RC_ASSERT(design.gap >= -1e-9);
  const auto support =
      std::count_if(design.weights.begin(), design.weights.end(), [](double w) { return w > 0.0; });
  RC_ASSERT(support <= vectors.dimension * (vectors.dimension + 1) / 2);
}

RC_GTEST_PROP(BestArmProperty, AStoppedPolicyNeverPullsItsArmMoreOften, ()) {
  const auto arms = *rc::gen::inRange<std::int64_t>(2, 9);
  const SequentialHalvingConfig inner{.arms = arms, .budget = 60};
  const auto arm = *rc::gen::inRange<std::int64_t>(0, arms);
  const auto pulls = *rc::gen::inRange<std::int64_t>(0, 40);
  const auto policy = EarlyStopping<SequentialHalving>::create({inner, arm, pulls}).value();
  const auto run =
      run_on_table(policy, RewardTable::create(draw_table(60, arms), TableIndex::kPull).value(),
                   ReplayStream({.seed = 1}))
          .value();
  RC_ASSERT(run.transcript.size() == 61u);
  RC_ASSERT(std::count(run.transcript.begin(), run.transcript.end() - 1, int(arm)) <= pulls);
}

}  // namespace
}  // namespace assay
