// The policies against Algorithm 1 written down plainly, and against exactly linear rewards.
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/error_rate.hpp"
#include "assay/policies/best_arm/instances.hpp"
#include "assay/policies/best_arm/internal/planners.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/best_arm/sequential_halving.hpp"
#include "assay/policies/linear/linear_algebra.hpp"
#include "assay/tests/support/best_arm_runs.hpp"

namespace assay {
namespace {

// Every pull of arm i pays <a_i, theta>.
std::shared_ptr<const InputTable> linear_table(std::int64_t rounds, const ArmFeatures& features,
                                               const std::vector<double>& theta) {
  auto table = InputTable::zeros(rounds, features.arms);
  for (std::int64_t t = 0; t < rounds; ++t) {
    for (std::int64_t i = 0; i < features.arms; ++i) {
      const auto a = features.of(i);
      table.row(t)[static_cast<std::size_t>(i)] =
          0.5 + std::inner_product(a.begin(), a.end(), theta.begin(), 0.0);
    }
  }
  return std::make_shared<const InputTable>(std::move(table));
}

// What every run owes, whatever the policy.
template <class P>
void expect_sound(const P& policy, const BestArmRun& run, std::int64_t arms) {
  const auto actions = actions_of(run);
  EXPECT_EQ(static_cast<std::int64_t>(actions.size()), policy.budget());
  std::vector<int> active(static_cast<std::size_t>(arms));
  std::iota(active.begin(), active.end(), 0);
  std::int64_t round = 0;
  std::map<int, std::int64_t> before;
  for (const auto& phase : run.phases) {
    EXPECT_EQ(phase.plan->active, active);
    EXPECT_TRUE(std::includes(active.begin(), active.end(), phase.plan->pulled.begin(),
                              phase.plan->pulled.end()));
    for (std::size_t j = 0; j < phase.plan->pulled.size(); ++j) {
      EXPECT_GE(phase.plan->pulls[j], 1);
      EXPECT_EQ(phase.first_pulls[j], before[phase.plan->pulled[j]]);
      EXPECT_EQ(phase.first_rounds[j], round);
      for (std::int64_t n = 0; n < phase.plan->pulls[j]; ++n) {
        EXPECT_EQ(actions[static_cast<std::size_t>(round++)], phase.plan->pulled[j]);
      }
      before[phase.plan->pulled[j]] += phase.plan->pulls[j];
    }
    EXPECT_TRUE(std::includes(active.begin(), active.end(), phase.survivors.begin(),
                              phase.survivors.end()));
    EXPECT_EQ(static_cast<std::int64_t>(phase.survivors.size()), phase.plan->keep);
    active = phase.survivors;
  }
  EXPECT_THAT(active, ElementsAre(run.recommendation()));
}

TEST(DpBai, IsAlgorithm1WrittenDownPlainly) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    // d = 2: phase 1 pulls a Max-Det collection of 2 arms; its alphas by Cramer's rule.
    const auto features = generated_features(FeatureKind::kSphere, 12, 2, seed).value();
    DpBaiConfig config{.budget = 101, .epsilon = 0.7};
    const auto policy = DpBai::create(config, features).value();
    const auto table = random_table(101, 12, seed);
    const ReplayStream random({.seed = seed});
    const auto run = run_on(policy, table, TableIndex::kPull, random);
    expect_sound(policy, run, 12);
    ASSERT_EQ(run.phases.size(), 1u);

    double best_det = 0.0;
    std::pair<int, int> pair;
    for (int i = 0; i < 12; ++i) {
      for (int j = i + 1; j < 12; ++j) {
        const double det = std::fabs(features.of(i)[0] * features.of(j)[1] -
                                     features.of(i)[1] * features.of(j)[0]);
        if (det > best_det) {
          best_det = det;
          pair = {i, j};
        }
      }
    }
    const auto& phase = run.phases[0];
    EXPECT_THAT(phase.plan->pulled, ElementsAre(pair.first, pair.second));
    EXPECT_THAT(phase.plan->pulls, ElementsAre(51, 50));
    // Means of each arm's first pulls, and the words of the stream as Laplace noise.
    ReplayStream words = random;
    std::vector<double> noisy;
    for (const auto& [arm, pulls] : {std::pair{pair.first, 51}, {pair.second, 50}}) {
      double sum = 0.0;
      for (int n = 0; n < pulls; ++n) sum += table->row(n)[static_cast<std::size_t>(arm)];
      const auto noise = Laplace::create(sum / pulls, 1.0 / (0.7 * pulls)).value();
      noisy.push_back(noise.from_word(words.next()));
    }
    EXPECT_NEAR(phase.released[0], noisy[0], 1e-14);
    EXPECT_NEAR(phase.released[1], noisy[1], 1e-14);
    const auto b = features.of(pair.first);
    const auto c = features.of(pair.second);
    const double det = b[0] * c[1] - b[1] * c[0];
    std::vector<double> means;
    for (int i = 0; i < 12; ++i) {
      const auto a = features.of(i);
      means.push_back((a[0] * c[1] - a[1] * c[0]) / det * noisy[0] +
                      (b[0] * a[1] - b[1] * a[0]) / det * noisy[1]);
    }
    EXPECT_EQ(run.recommendation(), std::max_element(means.begin(), means.end()) - means.begin());
    EXPECT_LE(phase.plan->certificate, 1.0 + kMaxDetTolerance);
  }
}

TEST(DpBai, ScoresExactlyLinearRewardsExactlyInEveryPhase) {
  const auto features = generated_features(FeatureKind::kSphere, 70, 4, 2).value();
  const std::vector<double> theta{0.1, -0.2, 0.15, 0.05};
  // Arms of constant reward beside the linear part: <(a, 1), (theta, 0.5)> in 5 dimensions.
  ArmFeatures lifted{70, 5, {}};
  for (std::int64_t i = 0; i < 70; ++i) {
    lifted.values.insert(lifted.values.end(), features.of(i).begin(), features.of(i).end());
    lifted.values.push_back(1.0);
  }
  const auto table = linear_table(4000, features, theta);
  const auto check = [&](const auto& policy, double tolerance) {
    const auto run = run_on(policy, table, TableIndex::kPull, ReplayStream({.seed = 5}));
    expect_sound(policy, run, 70);
    for (const auto& phase : run.phases) {
      const auto scores = phase.plan->scores(phase.exact);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        EXPECT_NEAR(scores[i], table->row(0)[static_cast<std::size_t>(phase.plan->active[i])],
                    tolerance);
      }
    }
    return run;
  };
  const auto bai = check(DpBai::create({.budget = 4000}, lifted).value(), 1e-12);
  EXPECT_GT(bai.phases.size(), 2u);
  EXPECT_EQ(bai.phases[0].plan->pulled.size(), 5u);  // 5 < sqrt(70)
  EXPECT_EQ(bai.phases[1].plan->pulled.size(), bai.phases[1].plan->active.size());
  check(BaiBaseline::create({.budget = 4000}, lifted).value(), 1e-12);
  check(SequentialHalving::create({.arms = 70, .budget = 4000}).value(), 1e-12);
  check(DpOd::create({.budget = 4000}, lifted).value(), 1e-9);
  const auto od = check(OdLinBai::create({.budget = 4000}, lifted).value(), 1e-9);
  const auto best = std::max_element(table->row(0).begin(), table->row(0).end());
  EXPECT_EQ(od.recommendation(), best - table->row(0).begin());
}

TEST(DpBai, FeaturesOfLowRankAreReducedFirst) {
  // Rank 2 in R^6, 30 arms: 2 < sqrt(30), although 6 is not.
  const auto plane = generated_features(FeatureKind::kSphere, 30, 2, 4).value();
  ArmFeatures features{30, 6, {}};
  for (std::int64_t i = 0; i < 30; ++i) {
    const auto a = plane.of(i);
    for (const double x : {a[0], a[1], a[0] + a[1], a[0] - a[1], 2 * a[0], 0.0}) {
      features.values.push_back(x);
    }
  }
  const auto policy = DpBai::create({.budget = 300}, features).value();
  const auto run =
      run_on(policy, random_table(300, 30, 1), TableIndex::kPull, ReplayStream({.seed = 1}));
  EXPECT_EQ(run.phases[0].plan->pulled.size(), 2u);
  expect_sound(policy, run, 30);
}

TEST(DpBai, RefusesABudgetThatIsTooSmallAndTakesTheOneItNames) {
  const auto features = generated_features(FeatureKind::kSphere, 64, 8, 1).value();
  const auto refused = error_of(DpBai::create({.budget = 64}, features));
  EXPECT_EQ(refused.path, "/budget");
  const auto& text = refused.message;
  const std::int64_t least = std::stoll(text.substr(text.rfind(' ')));
  EXPECT_THAT(text, HasSubstr("budget = 64 leaves an arm of a phase without a pull"));
  EXPECT_FALSE(DpBai::create({.budget = least - 1}, features));
  const auto policy = DpBai::create({.budget = least}, features).value();
  expect_sound(
      policy,
      run_on(policy, random_table(least, 64, 1), TableIndex::kPull, ReplayStream({.seed = 1})), 64);
}

double gaussian_delta(double epsilon, double sigma) {
  const auto phi = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  return phi(0.5 / sigma - epsilon * sigma) -
         std::exp(epsilon) * phi(-0.5 / sigma - epsilon * sigma);
}

TEST(DpBaiGauss, HasClassicalNoiseAsPrintedAndExactNoiseWhereCorrected) {
  const auto features = generated_features(FeatureKind::kSphere, 12, 2, 1).value();
  for (const double epsilon : {0.5, 10.0}) {
    DpBaiGaussConfig config{.budget = 100, .epsilon = epsilon, .delta = 1e-2};
    const auto sigma = [&](Calibration calibration) {
      config.calibration = calibration;
      const auto policy = DpBaiGauss::create(config, features).value();
      const auto plan = policy.planner().plan(0, all_arms(12));
      EXPECT_EQ(plan->noise, PhaseNoise::kGaussian);
      return plan->scales[0] * static_cast<double>(plan->pulls[0]);
    };
    const double classical = std::sqrt(2.0 * std::log(1.25 / 1e-2)) / epsilon;
    EXPECT_NEAR(sigma(Calibration::kPaper), classical, 1e-14 * classical);
    EXPECT_NEAR(gaussian_delta(epsilon, sigma(Calibration::kCorrected)), 1e-2, 1e-8);
  }
  // Classical noise at eps = 10: the true delta is 4.06 times the claim.
  EXPECT_NEAR(gaussian_delta(10.0, std::sqrt(2.0 * std::log(125.0)) / 10.0) / 1e-2, 4.06, 0.005);
}

TEST(DpOd, ScalesItsNoiseByTheNormThatIsAsked) {
  const auto scales = [](const ArmFeatures& features, MomentNorm norm) {
    const auto policy =
        DpOd::create({.budget = 100, .epsilon = 2.0, .norm = norm}, features).value();
    return policy.planner().plan(0, all_arms(features.arms))->scales;
  };
  const auto axes = figure2_instance(1.0, 3.0, 0.05).value().features;
  EXPECT_THAT(scales(axes, MomentNorm::kL1), ElementsAre(1.5, 1.5));
  EXPECT_THAT(scales(axes, MomentNorm::kL2), ElementsAre(1.5, 1.5));
  const ArmFeatures skew{2, 2, {3, 4, 0, 1}};
  EXPECT_THAT(scales(skew, MomentNorm::kL1), ElementsAre(3.5, 3.5));
  EXPECT_THAT(scales(skew, MomentNorm::kL2), ElementsAre(2.5, 2.5));
}

TEST(DpOd, IsTheTwoArmedEstimatorOfAppendixE) {
  // (39) and (40): the mean of each arm plus noise over x T_1 or y T_2.
  const auto policy =
      DpOd::create({.budget = 50}, figure2_instance(1.0, 4.0, 0.05).value().features).value();
  const auto run =
      run_on(policy, random_table(50, 2, 3), TableIndex::kPull, ReplayStream({.seed = 9}));
  expect_sound(policy, run, 2);
  const auto& phase = run.phases[0];
  EXPECT_THAT(phase.plan->pulls, ElementsAre(25, 25));
  const auto scores = phase.plan->scores(phase.released);
  const double noise1 = phase.released[0] - phase.exact[0];
  const double noise2 = phase.released[1] - phase.exact[1];
  EXPECT_NEAR(scores[0], phase.exact[0] / 25.0 + noise1 / 25.0, 1e-13);
  EXPECT_NEAR(scores[1], phase.exact[1] / (4.0 * 25.0) + noise2 / (4.0 * 25.0), 1e-13);
}

// Arms of very different lengths are all pulled, and the best is found; arms too short are refused.
TEST(DpBai, DoesNotTakeAShortArmForADependentOne) {
  const auto check = [](const ArmFeatures& features) {
    const auto table = linear_table(200, {2, 2, {1, 0, 0, 1}}, {0.1, 0.4});
    const auto judge = [&](const auto& policy) {
      const auto run = run_on(policy, table, TableIndex::kPull, ReplayStream({.seed = 3}));
      EXPECT_EQ(run.phases[0].plan->pulled.size(), 2u);
      const auto scores = run.phases[0].plan->scores(run.phases[0].exact);
      EXPECT_NEAR(scores[0], 0.6, 1e-9);
      EXPECT_NEAR(scores[1], 0.9, 1e-9);
    };
    judge(DpBai::create({.budget = 200}, features).value());
    judge(OdLinBai::create({.budget = 200}, features).value());
    judge(DpOd::create({.budget = 200}, features).value());
  };
  check(figure2_instance(1.0, 1e11, 0.05).value().features);
  check({2, 2, {0, 1e-100, 1e100, 0}});
  const ArmFeatures vanishing{2, 2, {0, 1e-200, 1e-200, 0}};
  EXPECT_EQ(DpBai::create({.budget = 200}, vanishing).error().path, "/features");
  // A later phase whose arms are all short beside those that left.
  const auto od = DpOd::create({.budget = 200}, {3, 3, {1e12, 0, 0, 0, 1, 0, 0, 0, 1}}).value();
  EXPECT_THAT(od.planner().plan(1, std::vector{1, 2})->pulled, ElementsAre(1, 2));
  // Arms without a feature never reach a planner; it refuses them all the same.
  const ArmFeatures none{2, 2, {0, 0, 0, 0}};
  const detail::PlannerSetting setting{halving_schedule(2), 10, PhaseNoise::kNone, 0.0};
  EXPECT_EQ(detail::make_means_planner(setting, &none).error().path, "/features");
  EXPECT_EQ(detail::make_moments_planner(setting, none, MomentNorm::kL1).error().path, "/features");
}

TEST(DpBai, WithGivenFeaturesHasAConfigurationThatCreatesNoOther) {
  const auto features = generated_features(FeatureKind::kSphere, 12, 2, 1).value();
  const auto check = [&](const auto& made) {
    using P = std::decay_t<decltype(made)>;
    EXPECT_EQ(made.config().features, FeatureKind::kGiven);
    EXPECT_EQ(P::create(made.config()).error().path, "/features");
    EXPECT_EQ(P::create(made.config(), features).value().config(), made.config());
  };
  check(DpBai::create({.budget = 100}, features).value());
  check(DpBaiGauss::create({.budget = 100}, features).value());
  check(BaiBaseline::create({.budget = 100}, features).value());
  check(OdLinBai::create({.budget = 100}, features).value());
  check(DpOd::create({.budget = 100}, features).value());
  const DpBaiConfig generated{.arms = 12, .dimension = 2, .budget = 100};
  EXPECT_EQ(DpBai::create(generated).value().config(), generated);
}

TEST(Planner, KeepsThePlansThatItHasMade) {
  const auto features = generated_features(FeatureKind::kSphere, 12, 6, 1).value();
  const auto policy = DpBai::create({.budget = 300}, features).value();
  const auto& planner = policy.planner();
  ASSERT_GT(planner.phases(), 1);
  const auto size = static_cast<int>(planner.plan(0, all_arms(12))->keep);
  std::vector<int> first(static_cast<std::size_t>(size));
  std::iota(first.begin(), first.end(), 0);
  auto other = first;
  other.back() = 11;
  const auto plan = planner.plan(1, first);
  EXPECT_EQ(planner.plan(1, first), plan);
  EXPECT_EQ(planner.plan(0, all_arms(12)), planner.plan(0, all_arms(12)));
  EXPECT_EQ(planner.plan(1, other)->active, other);
  EXPECT_EQ(plan->active, first);
  if constexpr (kChecked) {  // phase 0 is of all arms, the others of as many as the schedule says
    EXPECT_DEATH(planner.plan(0, first), "as many active arms as the phase has");
    EXPECT_DEATH(planner.plan(1, all_arms(12)), "as many active arms as the phase has");
    EXPECT_DEATH(planner.plan(1, std::vector<int>(first.size(), 0)), "active arms ascend");
  }
}

// L of the second phase can be above that of the first under l1, never under l2.
TEST(DpOd, ScalesItsNoiseAfreshWhereABasisRaisesTheNorm) {
  const double c = std::cos(std::acos(-1.0) / 8.0);
  const double s = std::sin(std::acos(-1.0) / 8.0);
  const ArmFeatures features{3, 3, {c, -s, 0, c, s, 0, 0, 0, 1}};
  const auto scales = [&](MomentNorm norm, std::int64_t phase, std::vector<int> active) {
    const auto policy =
        DpOd::create({.budget = 100, .epsilon = 1.0, .norm = norm}, features).value();
    return policy.planner().plan(phase, active)->scales[0];
  };
  EXPECT_NEAR(scales(MomentNorm::kL1, 0, {0, 1, 2}), c + s, 1e-14);
  EXPECT_NEAR(scales(MomentNorm::kL1, 1, {0, 1}), std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(scales(MomentNorm::kL2, 0, {0, 1, 2}), 1.0, 1e-14);
  EXPECT_NEAR(scales(MomentNorm::kL2, 1, {0, 1}), 1.0, 1e-14);
}

TEST(ErrorRate, IsTheSameOnAnyNumberOfThreadsAndThatOfPlainTrials) {
  const auto instance = figure1_instance(1);
  const auto arms = UniformArms::create(instance.means).value();
  const auto policy = DpBai::create({.budget = 200}, instance.features).value();
  const TrialPlan plan{.id = "dp-bai", .trials = 120};
  const auto one = must(count_errors(policy, arms, 0, plan));
  EXPECT_EQ(one, must(count_errors(policy, arms, 0, plan, {.threads = 3})));
  std::int64_t errors = 0;
  for (std::int64_t trial = 0; trial < 120; ++trial) {
    errors += play_trial(policy, arms, plan, trial) != 0 ? 1 : 0;
  }
  EXPECT_EQ(one.errors, errors);
  // Threads share the plans of later phases.
  const auto phased = DpBai::create({.arms = 30, .dimension = 6, .budget = 300}).value();
  ASSERT_GT(phased.planner().phases(), 2);
  const auto phased_one = must(count_errors(phased, arms, 0, {.id = "phased", .trials = 300}));
  const auto again = DpBai::create(phased.config()).value();
  EXPECT_EQ(phased_one,
            must(count_errors(again, arms, 0, {.id = "phased", .trials = 300}, {.threads = 3})));
  EXPECT_GT(errors, 0);
  EXPECT_LT(errors, 60);
}

}  // namespace
}  // namespace assay
