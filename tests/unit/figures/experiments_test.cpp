// Experiments: selection by name, the curves against formulas written out again, and checks that
// can fail.
#include "assay/auditors/registry/experiments.hpp"
#include "assay/auditors/bandits/figures/thompson_sampling_figures.hpp"
#include "assay/auditors/figures/experiment.hpp"
#include "assay/auditors/figures/figure_parts.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

std::vector<std::string> ids_of(const std::vector<const Experiment*>& selected) {
  std::vector<std::string> ids;
  for (const auto* one : selected) ids.push_back(one->describe().id);
  return ids;
}

std::string selection_error(const std::vector<std::string>& words) {
  const auto selected = select_experiments(words);
  return selected ? "none" : selected.error().message;
}

ExperimentReport run_experiment(const std::string& id, const std::vector<KeyValue>& given) {
  auto runner = SimulationRunner::create({}, {}).value();
  return find_experiment(id).value()->run(given, runner).value();
}

TEST(Experiments, AreSelectedByNameAndPatternOnceEachInOrder) {
  EXPECT_THAT(ids_of(select_experiments({"ts-fig3", "ts-fig?"}).value()),
              ElementsAre("ts-fig3", "ts-fig1", "ts-fig2", "ts-fig4", "ts-fig5", "ts-fig6",
                          "ts-fig7", "ts-fig8"));
  EXPECT_THAT(selection_error({"ts-fig11"}), HasSubstr("did you mean 'ts-fig1'"));
  EXPECT_THAT(selection_error({"fig*"}), HasSubstr("'fig*' selects no experiment"));
  EXPECT_THAT(selection_error({}), HasSubstr("no experiment is selected"));
}

TEST(Experiments, DescribeThemselvesAndNameTheirParametersInErrors) {
  std::set<std::string> ids;
  for (const auto& experiment : experiments()) {
    const auto d = experiment.describe();
    EXPECT_TRUE(ids.insert(d.id).second) << d.id;
    EXPECT_FALSE(d.title.empty() || d.about.empty() || d.reproduces.empty() || d.outcomes.empty());
    const std::string name = d.parameters.front().name;
    const auto bad = error_of(experiment.parameters({{name, "-1"}}));
    EXPECT_THAT(bad.message, HasSubstr(name + " must be "));
  }
}

TEST(Experiments, EveryFigureChecksTheOutcomesThatItDescribes) {
  for (const auto& experiment : experiments()) {
    std::vector<KeyValue> given;
    if (experiment.has_parameter("horizon")) given.push_back({"horizon", "1000"});
    if (experiment.has_parameter("repetitions"))
      given.push_back({"repetitions", kSanitized ? "2" : "4"});
    auto runner = SimulationRunner::create({}, {}).value();
    const auto report = must(experiment.run(given, runner));
    EXPECT_EQ(report.checks.size(), experiment.describe().outcomes.size());
    for (const auto& check : report.checks) {
      EXPECT_FALSE(check.stated.empty() || check.rule.empty() || check.observed.empty())
          << report.id << ": " << check.name;
    }
    EXPECT_FALSE(report.caption.empty() || report.values.rows.empty() || report.curves.empty());
    EXPECT_THAT(report.reproduce, HasSubstr("assay simulate " + report.id + " -"));
  }
}

// ---- closed forms -------------------------------------------------------------------------------

TEST(Profiles, RdpIsTheBestAlphaOfTheoremEight) {
  for (const double delta : {1e-12, 1e-6, 0.1}) {
    double best = HUGE_VAL;
    for (double alpha = 1.0001; alpha < 3.0; alpha += 1e-5) {
      best = std::min(best, alpha * 1000.0 / 4.0 - std::log(delta) / (alpha - 1.0));
    }
    const double epsilon = detail::rdp_epsilon(1000.0, std::log(delta));
    EXPECT_LE(epsilon, best);
    EXPECT_NEAR(epsilon, best, 1e-6 * best);
  }
}

TEST(Profiles, AdvancedCompositionIsTheBestDeltaOfARoundOfCorollaryOne) {
  for (const double arms : {2.0, 10.0}) {
    for (const double delta : {1e-12, 1e-6, 0.1}) {
      double best = HUGE_VAL;
      for (double share = 1e-4; share < 1.0; share += 1e-4) {
        const double step = delta * share / 1000.0;
        const double e = std::sqrt(std::log((arms - 1.0) / (2.0 * step))) / (2.0 * std::sqrt(2.0));
        const double left = std::log(1.0 / (delta - 1000.0 * step));
        best =
            std::min(best, e * std::sqrt(2.0 * 1000.0 * left) + 1000.0 * e * (std::exp(e) - 1.0));
      }
      const double epsilon = detail::advanced_composition_epsilon(1000.0, arms, std::log(delta));
      EXPECT_LE(epsilon, best * (1.0 + 1e-9));
      EXPECT_NEAR(epsilon, best, 1e-4 * best);
    }
  }
}

TEST(Profiles, FigureOneDrawsTheoremFour) {
  const auto report = run_experiment("ts-fig1", {});
  const auto curve = std::find_if(report.curves.begin(), report.curves.end(),
                                  [](const auto& c) { return c.series == "b = 10, Theorem 4"; });
  ASSERT_NE(curve, report.curves.end());
  const Mu mu{std::sqrt(1000.0 / 11.0)};
  for (std::size_t i = 0; i < curve->x.size(); ++i) {
    EXPECT_NEAR(gdp_delta(mu, Epsilon{curve->y[i]}).value, curve->x[i], 1e-9 * curve->x[i]);
  }
}

// ---- checks -------------------------------------------------------------------------------------

TEST(Outcomes, ComparisonsHoldFailOrStayOpen) {
  EXPECT_EQ(is_below({1, 2}, {3, 4}), Outcome::kHolds);
  EXPECT_EQ(is_below({3, 4}, {1, 2}), Outcome::kFails);
  EXPECT_EQ(is_below({1, 3}, {2, 4}), Outcome::kUndecided);
  EXPECT_EQ(is_below({2, 2}, {2, 2}), Outcome::kFails);
}

TEST(Outcomes, ComposeByKleenesLogic) {
  constexpr auto kYes = Outcome::kHolds;
  constexpr auto kNo = Outcome::kFails;
  constexpr auto kOpen = Outcome::kUndecided;
  EXPECT_EQ(all_of({kYes, kYes}), kYes);
  EXPECT_EQ(all_of({kYes, kOpen}), kOpen);
  EXPECT_EQ(all_of({kOpen, kNo}), kNo);
  EXPECT_EQ(any_of({kNo, kYes, kOpen}), kYes);
  EXPECT_EQ(any_of({kNo, kOpen}), kOpen);
  EXPECT_EQ(any_of({kNo, kNo}), kNo);
  EXPECT_EQ(all_of({}), kYes);
  EXPECT_EQ(any_of({}), kNo);
}

TEST(Outcomes, TheStatementAboutSmallDeltaFailsInFigureSeven) {
  const auto report = run_experiment("ts-fig7", {});
  EXPECT_EQ(report.checks.at(0).outcome, Outcome::kHolds);
  EXPECT_EQ(report.checks.at(1).outcome, Outcome::kFails);
}

TEST(Outcomes, FewRepetitionsLeaveThemUndecided) {
  const auto report = run_experiment("ts-fig3", {{"repetitions", "2"}, {"horizon", "1000"}});
  EXPECT_EQ(report.checks.at(0).outcome, Outcome::kUndecided);
}

SimulationResult constant_result(std::vector<double> regrets, std::int64_t horizon) {
  SimulationResult result{.rounds = {horizon}};
  SeriesResult series{.id = "constant", .means = {0.75, 0.25}, .largest_gap = 0.5};
  series.all.final_pseudo = std::move(regrets);
  series.all.pseudo.count = static_cast<std::int64_t>(series.all.final_pseudo.size());
  result.series.push_back(series);
  return result;
}

TEST(RegretBounds, ContainTheMeanAndStayInTheRange) {
  std::vector<double> regrets;
  for (int i = 0; i < 400; ++i) regrets.push_back(i % 2 == 0 ? 90.0 : 110.0);
  const auto range = detail::regret_range({0.75, 0.25}, 1000, 100);
  EXPECT_EQ(range.least, 50.0);
  EXPECT_EQ(range.most, 450.0);
  const auto bounds =
      detail::final_regret_bounds(constant_result(regrets, 1000), {range}, 1e-3).front();
  EXPECT_LT(bounds.lower, 100.0);
  EXPECT_GT(bounds.upper, 100.0);
  EXPECT_GE(bounds.lower, range.least);
  EXPECT_LT(bounds.upper, 130.0);
}

TEST(RegretBounds, OfACertainRegretAreThatRegret) {
  const auto range = detail::regret_range({0.75, 0.25}, 1000, 500);
  const auto bounds =
      detail::final_regret_bounds(constant_result({250.0, 250.0}, 1000), {range}, 1e-3).front();
  EXPECT_EQ(bounds.lower, 250.0);
  EXPECT_EQ(bounds.upper, 250.0);
}

}  // namespace
}  // namespace assay
