// Figures of dueling policies: series against plays of the same policy, checks that fail when the
// regrets are wrong, and what the printed constants take.
#include "assay/auditors/dueling/figures/dueling_figures.hpp"
#include "assay/auditors/dueling/scored_duels.hpp"
#include "assay/auditors/registry/experiments.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/policies/dueling/ebs_elimination.hpp"
#include "assay/policies/simulation/series.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

const Experiment& figure_of(std::string_view id) { return *find_experiment(id).value(); }

ExperimentReport figure_report(std::string_view id, const std::vector<KeyValue>& given) {
  auto runner = SimulationRunner::create({}, {}).value();
  return figure_of(id).run(given, runner).value();
}

TEST(DuelSeries, RegretIsWhatTheDuelsPlayedCost) {
  EbsEliminationConfig config{.arms = 3, .horizon = 500};
  const std::vector<double> scores = {0.25, 1.0, -0.5};
  const auto policy = EbsElimination::create(config).value();
  const auto duels = detail::ScoredDuels::create(scores).value();
  Simulation simulation{.id = "duels",
                        .horizon = 500,
                        .repetitions = 1,
                        .series = {make_series("ebs", policy, duels)}};
  auto runner = SimulationRunner::create({}, {}).value();
  const auto result = runner.run(simulation).value();
  const auto& pulls = result->at(0).all.pulls;
  EXPECT_EQ(pulls[0] + pulls[1] + pulls[2], 1000);
  EXPECT_NEAR(result->at(0).all.final_pseudo.at(0),
              0.75 * static_cast<double>(pulls[0]) + 1.5 * static_cast<double>(pulls[2]), 1e-9);
  EXPECT_NEAR(result->at(0).all.final_realised.at(0), result->at(0).all.final_pseudo.at(0), 1e-9);
}

// Uniform duels of scores 1, 0, -1 cost 2 a round on average; nothing leaves in 1,000 rounds.
TEST(DuelFigures, FewRoundsCostWhatUniformDuelsDo) {
  const auto report =
      figure_report("duel-epsilon", {{"arms", "3"}, {"horizon", "1000"}, {"repetitions", "4"}});
  for (const auto& curve : report.curves) {
    if (curve.series != "DP-EBS") continue;
    for (std::size_t i = 0; i + 3 < curve.x.size(); ++i) EXPECT_NEAR(curve.y[i], 2000.0, 100.0);
  }
  for (const auto& check : report.checks) EXPECT_NE(check.outcome, Outcome::kFails) << check.name;
  // The notes speak of this T and of the largest level drawn.
  const auto phases = figure_report("duel-phases", {{"arms", "3"}, {"epsilon", "30"}});
  ASSERT_EQ(phases.curves.at(0).series, "the printed radius");
  ASSERT_EQ(phases.curves[0].x.at(0), 1000.0);
  EXPECT_THAT(report.notes.at(0), HasSubstr("the worst arm leaves after " +
                                            rounded(phases.curves[0].y.at(0), 3) + " duels"));
  EXPECT_THAT(report.notes.back(), HasSubstr("At T = 1,000 the intervals show that the local model "
                                             "costs more than the central one at no level drawn."));
}

TEST(DuelFigures, EliminationsComeLaterWithPrivacyAndKeepTheBestArm) {
  const auto report = figure_report("duel-eliminations",
                                    {{"arms", "2"}, {"horizon", "4000"}, {"repetitions", "200"}});
  EXPECT_EQ(report.checks.at(0).outcome, Outcome::kHolds) << report.checks[0].observed;
  EXPECT_EQ(report.checks.at(1).outcome, Outcome::kHolds) << report.checks[1].observed;
}

// Two arms at T = 1e6, eps = 1: twice 16 log(2e6) log(1e6)^2.5/n + sqrt(log(2e12)/n) below tanh(1)/2.
TEST(DuelFigures, ThePrintedRadiusTakesWhatItsFormulaSays) {
  const auto report = figure_report("duel-phases", {{"arms", "2"}});
  const auto line = std::find_if(report.curves.begin(), report.curves.end(),
                                 [](const Curve& c) { return c.series == "the printed radius"; });
  ASSERT_NE(line, report.curves.end());
  const auto at = std::find(line->x.begin(), line->x.end(), 1e6) - line->x.begin();
  const double duels = line->y.at(static_cast<std::size_t>(at));
  const auto width = [](double n) {
    return 2.0 * (16.0 * std::log(2e6) * std::pow(std::log(1e6), 2.5) / n +
                  std::sqrt(std::log(2e12) / n));
  };
  EXPECT_LT(width(duels / 2.0), 0.5 * std::tanh(1.0));
  EXPECT_GT(width(duels / 2.0 - 2.0), 0.5 * std::tanh(1.0));
  for (const auto& check : report.checks) EXPECT_EQ(check.outcome, Outcome::kHolds) << check.name;
  // At a hundred times the level an arm leaves in time: the first statement is false there.
  const auto loose = figure_report("duel-phases", {{"arms", "2"}, {"epsilon", "100"}});
  EXPECT_EQ(loose.checks.at(0).outcome, Outcome::kFails);
}

TEST(DuelFigures, RefuseWhatTheyDoNotTake) {
  const auto error = [&](std::string_view id, const std::vector<KeyValue>& given) {
    return figure_of(id).parameters(given).error().message;
  };
  EXPECT_THAT(error("duel-horizon", {{"horizon", "999"}}), HasSubstr("horizon must be 1000 to"));
  EXPECT_THAT(error("duel-arms", {{"arms", "3"}}), HasSubstr("arms"));
  EXPECT_THAT(error("duel-epsilon", {{"epsilon", "1"}}), HasSubstr("epsilon"));
  EXPECT_THAT(error("duel-phases", {{"epsilon", "0"}}), HasSubstr("epsilon must be 0.001 to 100"));
}

}  // namespace
}  // namespace assay
