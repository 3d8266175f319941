// Figures of private experts: exact regrets against enumeration, the bounds against formulas
// written out again, the paper's example by hand, and checks that fail when the numbers are wrong.
#include "assay/auditors/experts/claims/regret_bounds.hpp"
#include "assay/auditors/experts/figures/experts_run.hpp"
#include "assay/auditors/registry/experiments.hpp"
#include "assay/policies/environments/stochastic_losses.hpp"
#include "assay/policies/experts/follow_the_leader.hpp"
#include "assay/policies/experts/ftnl_distribution.hpp"
#include "assay/policies/simulation/series.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using detail::ExpertsInstance;
using detail::ExpertsPoint;
using detail::ExpertsRun;
using detail::FtnlVariant;

// ---- exact regret -------------------------------------------------------------------------------

// The mean gap of the leader of an epoch, by enumeration of every outcome of its losses.
double enumerated_gap(const RnmFtnl& policy, const TwoPointLosses& losses, int rounds) {
  const auto actions = static_cast<std::size_t>(losses.actions());
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(rounds),
                                        std::vector<double>(actions));
  double sum = 0.0;
  const std::function<void(std::size_t, double)> fill = [&](std::size_t cell, double weight) {
    if (weight == 0.0) return;
    if (cell == actions * rows.size()) {
      FtnlDistribution distribution(policy);
      for (const auto& row : rows) distribution.observe(row);
      const auto log_p = distribution.log_probabilities();
      for (std::size_t j = 0; j < actions; ++j) {
        sum += weight * std::exp(log_p[j]) * losses.gap(static_cast<int>(j));
      }
      return;
    }
    const TwoPointDistribution& two = losses.distributions()[cell % actions];
    double& loss = rows[cell / actions][cell % actions];
    loss = two.high;
    fill(cell + 1, weight * two.probability);
    loss = two.low;
    fill(cell + 1, weight * (1.0 - two.probability));
  };
  fill(0, 1.0);
  return sum;
}

TEST(ExpectedRegret, IsThatOfEveryOutcomeEnumerated) {
  const std::vector<TwoPointLosses> instances = {
      TwoPointLosses::create({{0.3, 0.3, 1.0}, {0.0, 0.4, 0.8}}).value(),        // tenths
      TwoPointLosses::create({{0.0, 1.0, 0.3}, {0.0, 1.0, 0.5}}).value(),        // whole
      TwoPointLosses::create({{0.1, 0.123456, 0.5}, {0.2, 0.7, 0.25}}).value(),  // no lattice
      TwoPointLosses::create({{0.0, 0.0, 1.0}, {0.25, 0.25, 1.0}, {1.0, 1.0, 1.0}}).value()};
  for (const auto& losses : instances) {
    for (const FtnlVariant& variant : detail::ftnl_variants()) {
      const auto policy = detail::policy_of(variant, {losses.actions(), 0.8}, 7);
      const auto exact = expected_regret(policy, losses);
      const double uniform = std::accumulate(losses.means().begin(), losses.means().end(), 0.0) /
                                 static_cast<double>(losses.actions()) -
                             *std::min_element(losses.means().begin(), losses.means().end());
      ASSERT_EQ(exact.gap_of_epoch.size(), 3U);
      EXPECT_NEAR(exact.gap_of_epoch[0], uniform, 1e-15);
      EXPECT_NEAR(exact.gap_of_epoch[1], enumerated_gap(policy, losses, 1), 1e-11);
      EXPECT_NEAR(exact.gap_of_epoch[2], enumerated_gap(policy, losses, 2), 1e-11);
      EXPECT_NEAR(exact.after(5),
                  exact.gap_of_epoch[0] + 2.0 * exact.gap_of_epoch[1] + 2.0 * exact.gap_of_epoch[2],
                  1e-14);
    }
  }
}

TEST(ExpectedRegret, OfLossesZeroAndOneDoesNotDependOnResampling) {
  const auto losses = detail::instance_losses(ExpertsInstance::kOneGap, 5, 0.2);
  for (std::size_t v = 0; v < 4; ++v) {
    const auto variants = detail::ftnl_variants();
    const auto without = expected_regret(detail::policy_of(variants[v], {5, 1.0}, 500), losses);
    const auto with = expected_regret(detail::policy_of(variants[v + 4], {5, 1.0}, 500), losses);
    EXPECT_NEAR(without.after(500), with.after(500), 1e-9 * with.after(500));
  }
}

// ---- the instances ------------------------------------------------------------------------------

TEST(ExpertsInstances, HaveTheMeansOfTheirNames) {
  const auto gap = detail::instance_losses(ExpertsInstance::kOneGap, 4, 0.5);
  EXPECT_THAT(gap.means(), ElementsAre(0.75, 0.75, 0.75, 0.25));
  EXPECT_EQ(gap.gap(1), 0.5);
  const auto example = detail::instance_losses(ExpertsInstance::kResampling, 2, 0.0);
  EXPECT_DOUBLE_EQ(example.means()[0], 0.32);
  EXPECT_DOUBLE_EQ(example.means()[1], 0.3);
  EXPECT_THAT(detail::instance_losses(ExpertsInstance::kDeterministic, 5, 0.25).means(),
              ElementsAre(1.0, 1.0, 0.25, 0.25, 0.0));
}

// ---- the paper's example ------------------------------------------------------------------------

// Expert 2 leads after one round when it loses less: without resampling where it loses 0 (0.2),
// with it by P(0 < 1) + P(equal)/2 = 0.68 0.3 + (0.7 0.68 + 0.3 0.32)/2.
TEST(ResamplingExample, TheFirstLeaderIsWrongMoreOftenWithResampling) {
  const auto losses = detail::instance_losses(ExpertsInstance::kResampling, 2, 0.0);
  EXPECT_NEAR(detail::worse_leads_without_noise(losses, false, 1).front(), 0.2, 1e-15);
  EXPECT_NEAR(detail::worse_leads_without_noise(losses, true, 1).front(), 0.49, 1e-15);
  // Two rounds: 0.4 k < 0.6 for k = 0 and 1.
  EXPECT_NEAR(detail::worse_leads_without_noise(losses, false, 2)[1], 0.04 + 2 * 0.8 * 0.2, 1e-15);
}

TEST(ResamplingExample, ItIsTheOtherWayAroundWhereTheBestLossIsSmallAndSure) {
  const auto losses = detail::resampling_helps_losses();
  EXPECT_NEAR(detail::worse_leads_without_noise(losses, false, 1).front(), 0.6, 1e-15);
  EXPECT_NEAR(detail::worse_leads_without_noise(losses, true, 1).front(), 0.31, 1e-15);
}

TEST(ResamplingExample, WithVanishingNoiseTheDistributionTendsToThatWithout) {
  const auto losses = detail::instance_losses(ExpertsInstance::kResampling, 2, 0.0);
  for (const FtnlVariant& variant : detail::ftnl_variants()) {
    const auto exact = expected_regret(detail::policy_of(variant, {2, 1e3}, 63), losses);
    const auto limit = detail::worse_leads_without_noise(losses, variant.resample, 5);
    for (std::size_t r = 0; r < limit.size(); ++r) {
      EXPECT_NEAR(exact.gap_of_epoch[r + 1] / losses.gap(0), limit[r], 1e-9) << variant.name();
    }
  }
}

// ---- bounds -------------------------------------------------------------------------------------

TEST(PaperBounds, AreTheFormulasOfTheTheorems) {
  const std::vector<GapGroup> gaps = {{0.1, 1.0}, {0.6, 2.0}};  // ranks 2, then 3 and 4
  const double log4 = std::log(4.0);
  EXPECT_NEAR(expert_checks::theorem_2_bound(gaps, 0.5, 16.0),
              (128.0 * log4 + 32.0) / 0.1 + 64.0 * (log4 / 3.0 + 0.5 + log4 / 4.0 + 0.5), 1e-9);
  const double e = std::exp(1.0);
  EXPECT_NEAR(expert_checks::theorem_3_bound(10.0, 1.0, 2.0),
              5.0 / (3.0 * e + 5.0) + 5.0 / (3.0 * e * e + 5.0), 1e-14);
  const double a = expert_checks::kTheoremFour;
  EXPECT_NEAR(a, 9.770780163555854, 1e-14);  // 4 (1 + log 2)/log 2
  EXPECT_NEAR(expert_checks::theorem_4_bound(10.0, 2.0, a), 3.0 + a * std::log(10.0) / 2.0, 1e-13);
}

TEST(PaperBounds, GapsAreGroupedAscendingWithoutTheBest) {
  const auto deterministic = detail::instance_losses(ExpertsInstance::kDeterministic, 6, 0.1);
  const auto groups = detail::gap_groups(deterministic);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0], (GapGroup{0.1, 2.0}));
  EXPECT_EQ(groups[1], (GapGroup{1.0, 3.0}));
}

// ---- simulated series ---------------------------------------------------------------------------

ChunkResult played_losses(const SimulatedSeries& series, const std::vector<std::int64_t>& rounds) {
  ChunkPlan plan{.rounds = rounds,
                 .policy_purpose = hash_purpose("tests/policy"),
                 .environment_purpose = hash_purpose("tests/losses"),
                 .end = 3};
  return series.play(plan).value();
}

TEST(ExpertSeries, FollowTheLeaderPaysForTheFirstRoundOfSureLosses) {
  FollowTheLeaderConfig config{.actions = 4};
  const auto series = make_series(
      "leader", FollowTheLeader::create(config).value(),
      StochasticLosses(detail::instance_losses(ExpertsInstance::kDeterministic, 4, 0.25)));
  const auto result = played_losses(series, {1, 10, 50});
  EXPECT_THAT(result.pseudo.mean, ElementsAre(1.0, 1.0, 1.0));
  EXPECT_THAT(result.realised.mean, ElementsAre(1.0, 1.0, 1.0));
  EXPECT_THAT(result.pulls, ElementsAre(3, 0, 0, 147));
  EXPECT_THAT(series.means, ElementsAre(0.0, 0.75, 0.75, 1.0));
}

// Recorded rounds cut epochs; sums and so the law of actions stay those of the epoch.
TEST(ExpertSeries, RecordingInTheMiddleOfAnEpochChangesNoActionOfSureLosses) {
  const auto losses = detail::instance_losses(ExpertsInstance::kDeterministic, 5, 0.3);
  const auto series =
      make_series("ftnl", detail::policy_of(detail::ftnl_variants().front(), {5, 0.2}, 100),
                  StochasticLosses(losses));
  const auto coarse = played_losses(series, {100});
  const auto fine = played_losses(series, {1, 2, 5, 6, 17, 40, 41, 99, 100});
  EXPECT_EQ(coarse.pulls, fine.pulls);
  ASSERT_EQ(coarse.final_pseudo.size(), fine.final_pseudo.size());
  for (std::size_t i = 0; i < fine.final_pseudo.size(); ++i) {
    EXPECT_NEAR(coarse.final_pseudo[i], fine.final_pseudo[i], 1e-12);
    EXPECT_NEAR(fine.final_realised[i], fine.final_pseudo[i], 1e-12);
  }
}

// ---- checks -------------------------------------------------------------------------------------

ExpertsRun small_run(ExpertsInstance instance, std::int64_t repetitions) {
  ExpertsSetting setting;
  setting.repetitions = repetitions;
  setting.horizon = 255;
  setting.actions = instance == ExpertsInstance::kResampling ? 2 : 8;
  setting.gap = 0.3;
  auto runner = SimulationRunner::create({}, {}).value();
  return detail::run_experts(instance, setting, runner).value();
}

std::vector<std::pair<std::string, Outcome>> expert_outcomes(const ExpertsRun& run) {
  std::vector<std::pair<std::string, Outcome>> outcomes;
  for (const auto& check : checks_of(detail::experts_outcomes(run.instance), run)) {
    outcomes.emplace_back(check.name, check.outcome);
  }
  return outcomes;
}

TEST(ExpertChecks, TheExampleOfResamplingIsRefutedAndTheSentenceIsNot) {
  EXPECT_THAT(expert_outcomes(small_run(ExpertsInstance::kResampling, 50)),
              ElementsAre(Pair("simulated regret is the exact one", Outcome::kHolds),
                          Pair(HasSubstr("probability 0.8"), Outcome::kFails),
                          Pair(HasSubstr("less than half"), Outcome::kHolds),
                          Pair("resampling reduces the regret of the example", Outcome::kFails),
                          Pair(HasSubstr("some instance"), Outcome::kHolds)));
}

TEST(ExpertChecks, TheTheoremsHoldOnTheirInstancesButForThePrintedTemperature) {
  EXPECT_THAT(expert_outcomes(small_run(ExpertsInstance::kOneGap, 50)),
              ElementsAre(Pair(HasSubstr("simulated"), Outcome::kHolds),
                          Pair(HasSubstr("Theorem 2"), Outcome::kHolds),
                          Pair(HasSubstr("stops growing"), Outcome::kHolds),
                          Pair(HasSubstr("Gumbel"), Outcome::kHolds)));
  EXPECT_THAT(expert_outcomes(small_run(ExpertsInstance::kDeterministic, 50)),
              ElementsAre(Pair(HasSubstr("simulated"), Outcome::kHolds),
                          Pair(HasSubstr("Theorem 4"), Outcome::kHolds),
                          Pair(HasSubstr("as printed"), Outcome::kFails),
                          Pair(HasSubstr("Theorem 3"), Outcome::kHolds),
                          Pair(HasSubstr("Gumbel"), Outcome::kHolds)));
}

Outcome outcome_of_check(const ExpertsRun& run, const std::string& name) {
  for (const auto& check : checks_of(detail::experts_outcomes(run.instance), run)) {
    if (check.name.find(name) != std::string::npos) return check.outcome;
  }
  ADD_FAILURE() << name;
  return Outcome::kUndecided;
}

void scale_exact(ExpertsRun& run, double factor,
                 const std::function<bool(const FtnlVariant&)>& of) {
  for (auto& axis : run.exact) {
    for (std::size_t v = 0; v < run.variants.size(); ++v) {
      if (!of(run.variants[v])) continue;
      for (auto& exact : axis[v]) {
        for (double& gap : exact.gap_of_epoch) gap *= factor;
      }
    }
  }
}

TEST(ExpertChecks, FailWhenTheRegretIsNotWhatItShouldBe) {
  const auto everyone = [](const FtnlVariant&) { return true; };
  auto run = small_run(ExpertsInstance::kDeterministic, 400);
  scale_exact(run, 3.0, everyone);
  EXPECT_EQ(outcome_of_check(run, "simulated"), Outcome::kFails);
  scale_exact(run, 100.0, everyone);
  EXPECT_EQ(outcome_of_check(run, "bound of Theorem 4"), Outcome::kFails);
  EXPECT_EQ(outcome_of_check(run, "as printed"), Outcome::kFails);
  scale_exact(run, 1e-5, everyone);
  EXPECT_EQ(outcome_of_check(run, "Theorem 3"), Outcome::kFails);
  scale_exact(run, 1.5, [](const FtnlVariant& v) { return v.noise == LeaderNoise::kExponential; });
  EXPECT_EQ(outcome_of_check(run, "exponential"), Outcome::kFails);

  auto random = small_run(ExpertsInstance::kOneGap, 20);
  scale_exact(random, 1e4, everyone);
  EXPECT_EQ(outcome_of_check(random, "Theorem 2"), Outcome::kFails);
}

TEST(ExpertFigures, SayWhichParametersTheyTake) {
  const auto find = [](const char* id) { return find_experiment(id).value(); };
  EXPECT_TRUE(find("ftnl-gap")->has_parameter("gap"));
  EXPECT_FALSE(find("ftnl-resampling")->has_parameter("gap"));
  EXPECT_THAT(find("ftnl-deterministic")->parameters({{"actions", "2"}}),
              IsRefused("actions must be 3 to 1000"));
  EXPECT_EQ(reproduce_command({"ftnl-gap"}, {{"horizon", "100"}, {"actions", "4"}}),
            "assay simulate ftnl-gap --horizon 100 -p actions=4");
}

}  // namespace
}  // namespace assay
