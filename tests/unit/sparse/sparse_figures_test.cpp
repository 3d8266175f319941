// Figures of sparse bandits: policies in common rounds against each of them alone, medians against the
// sign test's table, checks that fail when the numbers are wrong, and runs that are cut and go on.
#include <cstdio>

#include "assay/auditors/registry/experiments.hpp"
#include "assay/auditors/sparse/figures/sparse_figures.hpp"
#include "assay/auditors/sparse/figures/sparse_run.hpp"
#include "assay/tests/support/small_simulation.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using detail::Halves;
using detail::Medians;
using detail::NamedPolicy;
using detail::SparseFigure;

constexpr std::int64_t kSparseRounds = 600;

GaussianContexts contexts() {
  GaussianContextsConfig config{.dimension = 20};
  return GaussianContexts::create(config, random_signal(20, 3, 5).value()).value();
}

Fliphat fliphat(double epsilon) {
  FliphatConfig config{{.arms = 3,
                        .dimension = 20,
                        .horizon = kSparseRounds,
                        .sparsity = 3,
                        .x_max = 3.0,
                        .b_max = 3.0},
                       epsilon};
  return Fliphat::create(config).value();
}

LassoBandit lasso() {
  return LassoBandit::create({.arms = 3, .dimension = 20, .horizon = kSparseRounds}).value();
}

Simulation of(std::vector<SimulatedSeries> series) {
  return Simulation{.id = "sparse",
                    .horizon = kSparseRounds,
                    .repetitions = 5,
                    .luck = Luck::kShared,
                    .chunk = 2,
                    .series = std::move(series)};
}

SimulationResult run_sparse(const Simulation& simulation) {
  auto runner = SimulationRunner::create({}, {}).value();
  return *runner.run(simulation).value();
}

// The first of a series has its streams, and the lasso draws nothing: both play as they do alone.
TEST(SharedRounds, PoliciesDoWhatTheyDoAlone) {
  const auto together = run_sparse(of({detail::make_shared_series(
      "fliphat", {{"a", fliphat(5.0)}, {"b", lasso()}, {"c", RandomArm::create({3}).value()}},
      contexts(), Halves::kYes)}));
  const auto alone = run_sparse(of({make_series("fliphat", fliphat(5.0), contexts()),
                                    make_series("lasso", lasso(), contexts())}));
  ASSERT_EQ(together.series.size(), 6U);
  EXPECT_EQ(together.at(0).all, alone.at(0).all);
  EXPECT_EQ(together.at(1).all, alone.at(1).all);
  EXPECT_EQ(together.at(2).id, "c");
  EXPECT_NE(together.at(2).all.final_pseudo, together.at(0).all.final_pseudo);
  // Half of the rounds: 300 is recorded, and its mean is that of the repetitions.
  const auto at = std::find(alone.rounds.begin(), alone.rounds.end(), kSparseRounds / 2);
  ASSERT_NE(at, alone.rounds.end());
  const auto column = static_cast<std::size_t>(at - alone.rounds.begin());
  for (std::size_t k = 0; k < 2; ++k) {
    const auto& half = together.at(3 + k);
    EXPECT_EQ(half.id, detail::half_name(together.at(k).id));
    EXPECT_EQ(half.all.pulls, together.at(k).all.pulls);
    for (const bool pseudo : {true, false}) {
      const auto& finals = pseudo ? half.all.final_pseudo : half.all.final_realised;
      const auto& moments = pseudo ? alone.at(k).all.pseudo : alone.at(k).all.realised;
      EXPECT_NEAR(std::accumulate(finals.begin(), finals.end(), 0.0) / 5.0, moments.mean[column],
                  1e-9);
    }
  }
}

TEST(SharedRounds, GoOnFromTheirCheckpointWithTheSameBytesAndRefuseAnotherShape) {
  const std::string path = ::testing::TempDir() + "/shared_rounds.checkpoint";
  std::remove(path.c_str());
  const auto simulation = of({detail::make_shared_series(
      "two", {{"a", fliphat(5.0)}, {"b", fliphat(1.0)}}, contexts(), Halves::kNo)});
  const auto whole = run_sparse(simulation);
  testing::CutRun run;
  auto cut = SimulationRunner::create({path, {}}, run.after(0.3)).value();
  EXPECT_EQ(cut.run(simulation).error().code, ErrorCode::kInterrupted);
  auto again = SimulationRunner::create({path, {}}, {}).value();
  const auto resumed = again.run(simulation).value();
  EXPECT_EQ(again.rounds_played(), 3 * 2 * kSparseRounds);  // repetitions 2 to 4 of two policies
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(resumed->at(k).all, whole.at(k).all);
  // A chunk of two policies is none of one: the same names, another reader.
  auto alone = simulation;
  alone.series[0].together.clear();
  alone.series[0].id = "two,a,b";
  ASSERT_EQ(alone.key(), simulation.key());
  auto other = SimulationRunner::create({path, {}}, {}).value();
  EXPECT_THAT(other.run(alone).error().message, HasSubstr("does not have the shape of this run"));
  std::remove(path.c_str());
}

TEST(Medians, ShareTheirAlpha) {
  std::vector<double> values(60);
  std::iota(values.begin(), values.end(), 1.0);
  Medians one, many;
  one.add("a", values);
  for (const char* name : {"a", "b", "c", "d"}) many.add(name, values);
  one.bound(0.01);
  many.bound(0.04);
  EXPECT_EQ(one.at("a").lower, many.at("d").lower);
  one.bound(0.04);
  EXPECT_GT(one.at("a").lower, many.at("d").lower);
}

TEST(LineFits, FindSlopesAndHowFarAParabolaBends) {
  const std::vector<double> x = {1.0, 2.0, 4.0, 5.0, 9.0};
  std::vector<double> line, bent;
  for (const double u : x) {
    line.push_back(3.0 + 2.0 * u);
    bent.push_back(10.0 - 0.25 * (u - 5.0) * (u - 5.0));  // 4 below its vertex at both ends
  }
  EXPECT_NEAR(detail::fit_line(x, line).slope, 2.0, 1e-12);
  EXPECT_NEAR(detail::fit_line(x, line).bend, 0.0, 1e-12);
  const double mean = std::accumulate(bent.begin(), bent.end(), 0.0) / 5.0;
  EXPECT_NEAR(detail::fit_line(x, bent).bend, 4.0 / mean, 1e-12);
}

// What the check of log d is to tell apart, over its twelve dimensions.
TEST(LineFits, BendsOfPowersOfDimensionsLieWhereTheCheckSays) {
  std::vector<double> x, root, linear;
  for (int i = 0; i < 12; ++i) {
    linear.push_back(400.0 + 3600.0 * i / 11.0);
    root.push_back(std::sqrt(linear.back()));
    x.push_back(std::log(linear.back()));
  }
  EXPECT_NEAR(detail::fit_line(x, root).bend, -0.14, 0.01);
  EXPECT_NEAR(detail::fit_line(x, linear).bend, -0.4, 0.05);
}

// ---- checks -------------------------------------------------------------------------------------

using NamedNumbers = std::map<std::string, double>;

// What the papers' words ask for, by the names that the outcomes read.
NamedNumbers as_stated(SparseFigure figure) {
  NamedNumbers out;
  const auto add = [&](const std::string& name, double value, auto levels) {
    for (const double epsilon : levels) out[name + " " + number_text(epsilon)] = value;
  };
  if (figure == SparseFigure::kThree) {
    add("power of K", 0.6, detail::kSweepLevels);
    add("over s=5", 0.9, detail::kSweepLevels);
    add("over s=60", 0.9, detail::kSweepLevels);
    return out;
  }
  add(std::string("growth ") + detail::kTime, 1.3, detail::kLevels);
  add(std::string("growth ") + detail::kUniform, 1.3, detail::kLevels);
  add("uniform over Gaussian", 1.02, detail::kLevels);
  add("step", 0.6, detail::kLevels);
  add("price", 4.0, detail::kLevels);
  add("slope paper", 500.0, detail::kSweepLevels);
  add("bend", 0.02, detail::kSweepLevels);
  out["beyond"] = 0.02;
  out["lasso"] = 1.9;
  return out;
}

std::vector<Outcome> sparse_figure_outcomes(SparseFigure figure, const NamedNumbers& numbers,
                                            int repetitions = 60) {
  Medians medians;
  for (const auto& [name, value] : numbers) {
    medians.add(name, std::vector<double>(static_cast<std::size_t>(repetitions), value));
  }
  medians.bound(0.001);
  std::vector<Outcome> out;
  for (const auto& check : checks_of(detail::sparse_outcomes(figure), medians)) {
    EXPECT_FALSE(check.observed.empty()) << check.name;
    out.push_back(check.outcome);
  }
  return out;
}

TEST(SparseChecks, FollowTheMedians) {
  using enum Outcome;
  const auto with = [](SparseFigure figure, const std::string& name, double value) {
    auto numbers = as_stated(figure);
    EXPECT_EQ(numbers.count(name), 1U) << name;
    numbers[name] = value;
    return sparse_figure_outcomes(figure, numbers);
  };
  const auto one = SparseFigure::kOne, two = SparseFigure::kTwo, three = SparseFigure::kThree;
  EXPECT_THAT(sparse_figure_outcomes(one, as_stated(one)),
              ElementsAre(kHolds, kHolds, kHolds, kHolds));
  EXPECT_THAT(sparse_figure_outcomes(two, as_stated(two)), ElementsAre(kHolds, kHolds));
  EXPECT_THAT(sparse_figure_outcomes(three, as_stated(three)), ElementsAre(kHolds, kHolds));
  EXPECT_THAT(sparse_figure_outcomes(one, as_stated(one), 4),
              ElementsAre(kUndecided, kUndecided, kUndecided, kUndecided));
  EXPECT_THAT(with(one, "growth time 0.5", 2.0), ElementsAre(kFails, kHolds, kHolds, kHolds));
  EXPECT_THAT(with(one, "step 10", 1.1), ElementsAre(kHolds, kFails, kHolds, kHolds));
  EXPECT_THAT(with(one, "beyond", 0.06), ElementsAre(kHolds, kFails, kHolds, kHolds));
  EXPECT_THAT(with(one, "slope paper 5", -1.0), ElementsAre(kHolds, kHolds, kFails, kHolds));
  EXPECT_THAT(with(one, "bend 0.5", 0.21), ElementsAre(kHolds, kHolds, kFails, kHolds));
  EXPECT_THAT(with(one, "bend 0.5", -0.11), ElementsAre(kHolds, kHolds, kFails, kHolds));
  EXPECT_THAT(with(one, "price 2", 0.9), ElementsAre(kHolds, kHolds, kHolds, kFails));
  EXPECT_THAT(with(two, "growth uniform 10", 2.1), ElementsAre(kFails, kHolds));
  EXPECT_THAT(with(two, "uniform over Gaussian 1", 0.7), ElementsAre(kHolds, kFails));
  EXPECT_THAT(with(three, "over s=5 0.5", 1.1), ElementsAre(kFails, kHolds));
  EXPECT_THAT(with(three, "power of K 5", 1.1), ElementsAre(kHolds, kFails));
}

// ---- figures ------------------------------------------------------------------------------------

TEST(SparseFigures, DrawEveryPolicyUnderBothNoisesAndRandomArmsMissWhatNormalOrderStatisticsSay) {
  auto runner = SimulationRunner::create({}, {}).value();
  const auto report = must(find_experiment("fliphat-fig2")
                               .value()
                               ->run({{"horizon", "200"}, {"repetitions", "2"}}, runner));
  ASSERT_EQ(report.figure.panels.size(), 4U);
  EXPECT_EQ(report.curves.size(), 4U * 8U);
  // Random arms miss the mean of the largest of three normals, 3/(2 sqrt(pi)), times beta's deviation.
  const auto beta = random_signal(5, 5, 1).value();
  double variance = 0.0;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      variance += beta.values[static_cast<std::size_t>(i)] *
                  beta.values[static_cast<std::size_t>(j)] * std::pow(0.1, std::abs(i - j));
    }
  }
  const double a_round = std::sqrt(variance) * 1.5 / std::sqrt(3.14159265358979);
  int random_curves = 0;
  for (const auto& curve : report.curves) {
    if (curve.series != "random") continue;
    ++random_curves;  // 400 rounds of deviation below 1.1 of beta's: four deviations
    EXPECT_NEAR(curve.y.back() / 200.0, a_round, 4.0 * 1.1 * std::sqrt(variance) / 20.0);
  }
  EXPECT_EQ(random_curves, 4);
  EXPECT_THAT(report.values.rows.at(0),
              ElementsAre("Gaussian", "FLIPHAT, the paper's noise", "code", "0.5", ::testing::_,
                          ::testing::_, ::testing::_));
  // The paper's noise proves more than it is said to, the corrected noise what it is said to.
  EXPECT_GT(std::stod(report.values.rows[0][4]), 2.0);
  EXPECT_EQ(report.values.rows[5][4], "0.5");
}

TEST(SparseFigures, RefuseWhatTheyDoNotTake) {
  const auto figures = sparse_figures();
  const auto error = [&](std::size_t figure, const std::vector<KeyValue>& given) {
    return figures[figure].parameters(given).error().message;
  };
  EXPECT_THAT(error(0, {{"horizon", "199"}}), HasSubstr("horizon must be 200 to 1e+06"));
  EXPECT_THAT(error(1, {{"iterations", "theorem"}}),
              HasSubstr("iterations must be text or code, not theorem"));
  EXPECT_THAT(error(2, {{"epsilon", "1"}}), HasSubstr("epsilon"));
}

}  // namespace
}  // namespace assay
