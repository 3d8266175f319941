// A stopped policy against the paper's two rules, and against the policy that was not stopped.
#include "assay/policies/best_arm/early_stopping.hpp"

#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/instances.hpp"
#include "assay/policies/best_arm/sequential_halving.hpp"
#include "assay/tests/support/best_arm_runs.hpp"

namespace assay {
namespace {

TEST(EarlyStopping, IsThePolicyUntilTheArmHasItsPulls) {
  using Stopped = EarlyStopping<SequentialHalving>;
  const SequentialHalvingConfig inner{.arms = 4, .budget = 40};
  const auto table = random_table(40, 4, 8);
  const ReplayStream random({.seed = 1});
  const auto free =
      run_on(SequentialHalving::create(inner).value(), table, TableIndex::kPull, random);
  const auto actions = actions_of(free);
  for (std::int64_t arm = 0; arm < 4; ++arm) {
    const auto all = std::count(actions.begin(), actions.end(), static_cast<int>(arm));
    for (std::int64_t n = 0; n <= all + 1; ++n) {
      const auto policy = Stopped::create({inner, arm, n}).value();
      const auto run = run_on(policy, table, TableIndex::kPull, random);
      // The paper's two rules, of the transcript of the policy itself.
      std::vector<int> expected = actions;
      std::int64_t pulls = 0;
      bool stopped = false;
      for (auto& action : expected) {
        if (pulls >= n) {
          action = 4;
          stopped = true;
        } else if (action == arm) {
          ++pulls;
        }
      }
      EXPECT_EQ(actions_of(run), expected);
      EXPECT_EQ(run.recommendation(), stopped ? 4 : free.recommendation());
      EXPECT_EQ(std::count(run.transcript.begin(), run.transcript.end() - 1, int(arm)),
                std::min<std::int64_t>(n, all));
      // What it releases is what the policy released in the phases that were not cut.
      const auto cut = std::find(expected.begin(), expected.end(), 4) - expected.begin();
      std::size_t ended = 0;
      for (std::int64_t rounds = 0; ended < free.phases.size(); ++ended) {
        for (const auto count : free.phases[ended].plan->pulls) rounds += count;
        if (rounds > cut) break;
      }
      ASSERT_EQ(run.phases.size(), ended);
      for (std::size_t p = 0; p < ended; ++p) {
        EXPECT_EQ(run.phases[p].released, free.phases[p].released);
      }
    }
  }
  EXPECT_EQ(Stopped::create({inner, 4, 1}).error().path, "/arm");
  EXPECT_EQ(Stopped::create({inner, 0, -1}).error().path, "/pulls");
}

// A policy that learns from the reward alone, in turn.
struct InTurn {
  struct Config {
    std::int64_t arms = 2;
    std::int64_t budget = 10;
  };
  using Context = NoContext;
  using Action = int;
  using Feedback = double;
  static Result<InTurn> create(const Config& config) { return InTurn{config, 0}; }
  int choose(ReplayStream&) { return static_cast<int>(rounds % own.arms); }
  void observe(double) { ++rounds; }
  int recommendation() const { return 0; }
  Guarantee guarantee() const { return {}; }
  const Config& config() const { return own; }
  Config own;
  std::int64_t rounds = 0;
};

TEST(EarlyStopping, TakesAnyPolicyAndAnyEnvironment) {
  const auto arms = UniformArms::create({0.5, 0.4}).value();
  auto policy = EarlyStopping<InTurn>::create({{}, 1, 2}).value();
  const auto actions = play(policy, WithAuxiliaryArm<UniformArms>{arms, policy.auxiliary_arm()}, 10,
                            ReplayStream({.seed = 1}), ReplayStream({.seed = 2}));
  EXPECT_THAT(actions, ElementsAre(0, 1, 0, 1, 2, 2, 2, 2, 2, 2));

  // With features that no configuration makes.
  const auto features = figure2_instance(1.0, 4.0, 0.05).value().features;
  const auto inner = DpBai::create({.budget = 20}, features).value();
  const auto stopped = EarlyStopping<DpBai>::create({{}, 0, 3}, inner).value();
  EXPECT_EQ(stopped.config().policy, inner.config());
  EXPECT_EQ(stopped.arms(), 2);
  EXPECT_EQ(stopped.budget(), 20);
  EXPECT_FALSE(EarlyStopping<DpBai>::create(stopped.config()));
  EXPECT_EQ(EarlyStopping<DpBai>::create({{}, 2, 3}, inner).error().path, "/arm");
}

}  // namespace
}  // namespace assay
