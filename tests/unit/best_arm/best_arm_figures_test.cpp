// Figures of best-arm identification: trials against plays of the same policy, the grid, checks
// that fail when the rates are wrong, and runs that are cut and go on.

#include "assay/auditors/best_arm/figures/best_arm_figures.hpp"
#include "assay/auditors/best_arm/figures/best_arm_run.hpp"
#include "assay/auditors/best_arm/figures/trial_series.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/error_rate.hpp"
#include "assay/policies/best_arm/instances.hpp"
#include "assay/tests/support/small_simulation.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using detail::BestArmFigure;
using detail::BestArmPolicy;
using detail::BestArmSetting;

BestArmSetting small(std::int64_t trials, std::int64_t horizon) {
  BestArmSetting setting;
  setting.repetitions = trials;
  setting.horizon = horizon;
  return setting;
}

detail::BestArmRun run_of(BestArmFigure figure, const BestArmSetting& setting) {
  auto runner = SimulationRunner::create({}, {}).value();
  return detail::run_best_arm(figure, setting, runner).value();
}

TEST(TrialSeries, CountsRecommendationsAsRunsOfThePolicyDo) {
  const auto instance = figure1_instance(3);
  DpBaiConfig config{.budget = 300, .epsilon = 0.3};
  const auto policy = DpBai::create(config, instance.features).value();
  const auto arms = UniformArms::create(instance.means).value();
  Simulation simulation{.id = "trials",
                        .horizon = detail::kTrialHorizon,
                        .repetitions = 5000,
                        .series = {detail::make_trial_series("dp-bai", policy, arms)}};
  auto runner = SimulationRunner::create({}, {}).value();
  const auto result = runner.run(simulation).value();
  const auto& all = result->at(0).all;
  std::int64_t trials = 0;
  double regret = 0.0;
  for (std::size_t i = 0; i < all.pulls.size(); ++i) {
    trials += all.pulls[i];
    regret += static_cast<double>(all.pulls[i]) * instance.arm_gaps[i] / 5000.0;
  }
  EXPECT_EQ(trials, 5000);
  EXPECT_NEAR(all.pseudo.mean[0], regret, 1e-12);
  const auto errors = must(count_errors(policy, arms, 0, {"dp-bai", 5000, 9}));
  EXPECT_NEAR(static_cast<double>(all.pulls[0]) / 5000.0, 1.0 - errors.rate(),
              5.0 * std::sqrt(0.5 / 5000.0));
}

TEST(BestArmFigures, HaveEightBudgetsAndSixLevelsUpToTheLargestBudget) {
  const auto grid = detail::grid_of(BestArmFigure::kOne, {});
  EXPECT_THAT(grid.budgets, ElementsAre(100, 200, 300, 500, 1000, 2000, 3000, 5000));
  EXPECT_THAT(grid.epsilons, ElementsAre(0.01, 0.03, 0.1, 0.3, 1.0, 10.0));
  EXPECT_THAT(detail::grid_of(BestArmFigure::kOne, small(2, 250)).budgets,
              ElementsAre(100, 200, 250));
  EXPECT_THAT(detail::grid_of(BestArmFigure::kTwo, small(2, 100)).budgets, ElementsAre(100));
}

TEST(BestArmFigures, TheNonPrivatePolicyIsSimulatedOnceForEveryLevel) {
  const auto run = run_of(BestArmFigure::kOne, small(20, 200));
  EXPECT_EQ(run.result->series.size(), 2U * (3U * 6U + 1U));
  EXPECT_EQ(run.rate(BestArmPolicy::kOdLinBai, {200, 0.01, 1.0}),
            run.rate(BestArmPolicy::kOdLinBai, {200, 10.0, 1.0}));
  EXPECT_EQ(run.bounds.size(), run.result->series.size());
}

// The run with the success rates of some series replaced by near certainty about `bounds`.
detail::BestArmRun with_bounds(detail::BestArmRun run,
                               const std::function<Bounds(const std::string&)>& bounds) {
  for (std::size_t i = 0; i < run.bounds.size(); ++i) {
    run.bounds[i] = bounds(run.result->series[i].id);
  }
  return run;
}

std::vector<Outcome> best_arm_checks_of(const detail::BestArmRun& run) {
  std::vector<Outcome> out;
  for (const auto& check : checks_of(detail::best_arm_outcomes(run.figure), run)) {
    EXPECT_FALSE(check.observed.empty()) << check.name;
    out.push_back(check.outcome);
  }
  return out;
}

TEST(BestArmChecks, OfFigure1FollowTheIntervals) {
  const auto run = run_of(BestArmFigure::kOne, small(2, 2000));
  using enum Outcome;
  EXPECT_THAT(best_arm_checks_of(run), ElementsAre(kUndecided, kUndecided, kUndecided, kUndecided));
  const auto as_stated = [](const std::string& id) {
    if (id.starts_with("Baseline")) return Bounds{0.1, 0.2};
    if (id.starts_with("DP-OD")) return Bounds{0.5, 0.6};
    return Bounds{0.8, 0.81};
  };
  EXPECT_THAT(best_arm_checks_of(with_bounds(run, as_stated)),
              ElementsAre(kHolds, kHolds, kHolds, kHolds));
  const auto one_point_wrong = [&](const std::string& id) {
    return id == "DP-BAI T=100 eps=0.01" ? Bounds{0.3, 0.4} : as_stated(id);
  };
  EXPECT_THAT(best_arm_checks_of(with_bounds(run, one_point_wrong)),
              ElementsAre(kHolds, kFails, kHolds, kHolds));
  const auto apart = [&](const std::string& id) {
    return id.starts_with("OD-LinBAI") ? Bounds{0.9, 0.95} : as_stated(id);
  };
  EXPECT_THAT(best_arm_checks_of(with_bounds(run, apart)),
              ElementsAre(kHolds, kHolds, kHolds, kFails));
}

TEST(BestArmChecks, OfFigure2FollowTheIntervals) {
  const auto run = run_of(BestArmFigure::kTwo, small(2, 100));
  using enum Outcome;
  EXPECT_THAT(best_arm_checks_of(run), ElementsAre(kUndecided, kUndecided, kUndecided));
  const auto as_stated = [](const std::string& id) {
    if (id.starts_with("DP-OD") && id.ends_with("y=64")) return Bounds{0.5, 0.55};
    return Bounds{0.7, 0.75};
  };
  EXPECT_THAT(best_arm_checks_of(with_bounds(run, as_stated)), ElementsAre(kHolds, kHolds, kHolds));
  const auto moves = [](const std::string& id) {
    return id.ends_with("y=64") ? Bounds{0.6, 0.65} : Bounds{0.7, 0.75};
  };
  EXPECT_THAT(best_arm_checks_of(with_bounds(run, moves)), ElementsAre(kHolds, kFails, kUndecided));
}

TEST(BestArmFigures, GoOnFromTheirCheckpointWithTheSameBytes) {
  const std::string path = ::testing::TempDir() + "/best_arm_figures.checkpoint";
  std::remove(path.c_str());
  const auto setting = small(40, 200);
  const auto whole = run_of(BestArmFigure::kOne, setting);
  testing::CutRun run;
  auto cut = SimulationRunner::create({path, {}}, run.after(0.3)).value();
  const auto error = error_of(detail::run_best_arm(BestArmFigure::kOne, setting, cut));
  EXPECT_EQ(error.code, ErrorCode::kInterrupted);
  auto again = SimulationRunner::create({path, {}}, {}).value();
  const auto resumed = detail::run_best_arm(BestArmFigure::kOne, setting, again).value();
  ASSERT_EQ(resumed.result->series.size(), whole.result->series.size());
  for (std::size_t i = 0; i < whole.result->series.size(); ++i) {
    EXPECT_EQ(resumed.result->at(i).all, whole.result->at(i).all);
  }
  EXPECT_LT(again.rounds_played(), 40 * static_cast<std::int64_t>(whole.result->series.size()));
  std::remove(path.c_str());
}

TEST(BestArmFigures, RefuseWhatTheyDoNotTake) {
  const auto figures = best_arm_figures();
  const auto error = [&](std::size_t figure, const std::vector<KeyValue>& given) {
    return figures[figure].parameters(given).error().message;
  };
  EXPECT_THAT(error(0, {{"horizon", "99"}}), HasSubstr("horizon must be 100 to 1e+05"));
  EXPECT_THAT(error(0, {{"gap", "0.1"}}), HasSubstr("gap"));
  EXPECT_THAT(error(1, {{"gap", "0.5"}}), HasSubstr("gap must be 0.001 to 0.4"));
}

}  // namespace
}  // namespace assay
