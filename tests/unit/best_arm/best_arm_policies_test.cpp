// The policies against Algorithm 1 written down plainly, against rewards that are exactly linear,
// and against their privacy: what a run releases, and what another table would have given it.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/early_stopping.hpp"
#include "assay/policies/best_arm/error_rate.hpp"
#include "assay/policies/best_arm/instances.hpp"
#include "assay/policies/best_arm/internal/planners.hpp"
#include "assay/policies/best_arm/linear_algebra.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/best_arm/reward_table.hpp"
#include "assay/policies/best_arm/sequential_halving.hpp"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<const InputTable> random_table(std::int64_t rounds, std::int64_t arms,
                                               std::uint64_t seed) {
  ReplayStream random({.seed = seed, .purpose = 77});
  auto table = InputTable::zeros(rounds, arms);
  for (double& value : table.values) value = random.uniform();
  return std::make_shared<const InputTable>(std::move(table));
}

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

template <class P>
BestArmRun run_on(const P& policy, std::shared_ptr<const InputTable> table, TableIndex index,
                  const ReplayStream& random) {
  return run_on_table(policy, RewardTable::create(std::move(table), index).value(), random).value();
}

std::vector<int> actions_of(const BestArmRun& run) {
  return {run.transcript.begin(), run.transcript.end() - 1};
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
  const auto refused = DpBai::create({.budget = 64}, features);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().path, "/budget");
  const auto& text = refused.error().message;
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

// log of the density of all that a run released, had its exact values been these.
double log_density(const BestArmRun& run, const std::vector<std::vector<double>>& exact) {
  double sum = 0.0;
  for (std::size_t p = 0; p < run.phases.size(); ++p) {
    const auto& phase = run.phases[p];
    for (std::size_t k = 0; k < exact[p].size(); ++k) {
      const double scale = phase.plan->scales[k];
      sum += phase.plan->noise == PhaseNoise::kLaplace
                 ? Laplace::create(exact[p][k], scale).value().log_density(phase.released[k])
                 : Gaussian::create(exact[p][k], scale).value().log_density(phase.released[k]);
    }
  }
  return sum;
}

// Tables of `policy`'s size that differ in rewards of 0 and 1, where a run may read them.
template <class P>
RewardPair drawn_pair(const P& policy, TableIndex index, std::uint64_t seed) {
  ReplayStream random({.seed = seed, .purpose = 5});
  auto table = *random_table(policy.budget(), policy.arms(), seed);
  const auto row =
      static_cast<std::int64_t>(random.uniform() * static_cast<double>(policy.budget()));
  for (double& value : table.row(row)) value = 0.0;
  const auto base =
      RewardTable::create(std::make_shared<const InputTable>(std::move(table)), index).value();
  const int arm = static_cast<int>(random.uniform() * static_cast<double>(policy.arms()));
  if (index == TableIndex::kPull) return RewardPair::replace_cell(base, row, arm, 1.0).value();
  const std::vector<double> ones(static_cast<std::size_t>(policy.arms()), 1.0);
  return RewardPair::replace_column(base, row, ones).value();
}

// The largest |loss| of what a run releases, over random tables, pairs and runs.
template <class P>
double largest_release_loss(const P& policy, TableIndex index) {
  double most = 0.0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto pair = drawn_pair(policy, index, seed);
    for (const Side side : {Side::kOld, Side::kNew}) {
      const auto run = run_on_table(policy, pair.table(side), ReplayStream({.seed = seed})).value();
      const double loss = release_loss(run, pair).value();
      most = std::max(most, std::fabs(loss));
      // The played values are those of their table, to the bit, and at most one phase differs.
      const auto before = exact_values_on(run, pair.table(Side::kOld)).value();
      const auto after = exact_values_on(run, pair.table(Side::kNew)).value();
      int differing = 0;
      for (std::size_t p = 0; p < run.phases.size(); ++p) {
        EXPECT_EQ((side == Side::kOld ? before : after)[p], run.phases[p].exact);
        differing += before[p] != after[p] ? 1 : 0;
      }
      EXPECT_LE(differing, 1);
      EXPECT_NEAR(log_density(run, before) - log_density(run, after), loss, 1e-9);
    }
  }
  return most;
}

TEST(Privacy, TheReleaseOfEveryPrivatePolicyLosesAtMostEpsilon) {
  const auto features = generated_features(FeatureKind::kSphere, 20, 3, 6).value();
  for (const auto index : {TableIndex::kPull, TableIndex::kTime}) {
    const double bai = largest_release_loss(
        DpBai::create({.budget = 120, .epsilon = 1.5}, features).value(), index);
    EXPECT_LE(bai, 1.5 * (1.0 + 1e-12));
    EXPECT_GT(bai, 1.4);
    EXPECT_LE(largest_release_loss(
                  BaiBaseline::create({.budget = 120, .epsilon = 1.5}, features).value(), index),
              1.5 * (1.0 + 1e-12));
    EXPECT_LE(largest_release_loss(DpOd::create({.budget = 120, .epsilon = 1.5}, features).value(),
                                   index),
              1.5 * (1.0 + 1e-12));
    // Read with the l2 norm the noise is not enough.
    EXPECT_GT(largest_release_loss(
                  DpOd::create({.budget = 120, .epsilon = 1.5, .norm = MomentNorm::kL2}, features)
                      .value(),
                  index),
              1.6);
  }
}

TEST(Privacy, OfDpOdHoldsWhereALaterBasisRaisesTheNorm) {
  const double c = std::cos(std::acos(-1.0) / 8.0);
  const double s = std::sin(std::acos(-1.0) / 8.0);
  const ArmFeatures features{3, 3, {c, -s, 0, c, s, 0, 0, 0, 1}};
  const auto policy = DpOd::create({.budget = 40, .epsilon = 1.5}, features).value();
  for (const auto index : {TableIndex::kPull, TableIndex::kTime}) {
    const double most = largest_release_loss(policy, index);
    EXPECT_LE(most, 1.5 * (1.0 + 1e-12));
    EXPECT_GT(most, 1.3);
  }
}

// Differences that are far below the values that they are of.
TEST(Privacy, LossesAreThoseOfTheValuesThatDiffer) {
  PhasePlan plan;
  plan.active = plan.pulled = {0, 1, 2};
  plan.pulls = {1, 1, 1};
  plan.noise = PhaseNoise::kLaplace;
  plan.scales = {0x1p-40, 0x1p-40, 0x1p-40};
  const std::vector<double> before{0.5, 0.25, 0.75};
  std::vector<double> after = before;
  after[1] += 0x1p-41;
  // Two values that nothing moved are far out.
  PlayedPhase phase{nullptr, {}, {}, {}, before, {900.0, 0.25, -900.0}, {}};
  phase.plan = std::make_shared<const PhasePlan>(plan);
  EXPECT_EQ(phase.loss(before, after), 0.5);
  EXPECT_EQ(phase.loss(after, before), -0.5);
  plan.noise = PhaseNoise::kGaussian;
  phase.plan = std::make_shared<const PhasePlan>(plan);
  EXPECT_EQ(phase.loss(before, after), 0.125);
  plan.noise = PhaseNoise::kNone;
  phase.plan = std::make_shared<const PhasePlan>(plan);
  EXPECT_EQ(phase.loss(before, after), HUGE_VAL);
  EXPECT_EQ(phase.loss(after, before), -HUGE_VAL);
}

// A policy whose plans have faults, and rounds beyond the budget.
struct Fault {
  PhaseFaults faults;
  std::int64_t extra = 0;  // pulls of the first phase
};

class FaultyPlanner : public PhasePlanner {
 public:
  FaultyPlanner(DpBai honest, Fault fault) : honest_(std::move(honest)), fault_(fault) {}
  std::int64_t phases() const override { return honest_.planner().phases(); }
  std::shared_ptr<const PhasePlan> plan(std::int64_t phase,
                                        std::span<const int> active) const override {
    PhasePlan plan = *honest_.planner().plan(phase, active);
    plan.faults = fault_.faults;
    if (phase == 0) plan.pulls[0] += fault_.extra;
    return std::make_shared<const PhasePlan>(std::move(plan));
  }

 private:
  DpBai honest_;
  Fault fault_;
};

class FaultyBai : public PhasedPolicyOf<DpBaiConfig> {
 public:
  static FaultyBai with(const DpBaiConfig& config, Fault fault) {
    return {config, std::make_shared<const FaultyPlanner>(DpBai::create(config).value(), fault),
            fault.extra};
  }
  static Result<FaultyBai> create(const DpBaiConfig& config) { return with(config, {}); }
  Guarantee guarantee() const { return {}; }
  std::int64_t budget() const { return config().budget + extra_; }

 private:
  FaultyBai(const DpBaiConfig& config, std::shared_ptr<const PhasePlanner> planner,
            std::int64_t extra)
      : PhasedPolicyOf(config, std::move(planner)), extra_(extra) {}
  std::int64_t extra_;
};

// Four unit vectors: phases of 4 and 2 arms, all of them pulled.
constexpr DpBaiConfig kFourArms{
    .arms = 4, .dimension = 4, .budget = 40, .features = FeatureKind::kBasis, .epsilon = 1.0};

TEST(Faults, OfReusedDataLoseAgainInEveryPhaseThatReadsIt) {
  const auto twin = FaultyBai::with(kFourArms, {.faults = {.reuses_data = true}, .extra = 0});
  for (const auto index : {TableIndex::kPull, TableIndex::kTime}) {
    EXPECT_LE(largest_release_loss(DpBai::create(kFourArms).value(), index), 1.0 + 1e-12);
    double most = 0.0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const auto pair = drawn_pair(twin, index, seed);
      const auto run =
          run_on_table(twin, pair.table(Side::kNew), ReplayStream({.seed = seed})).value();
      const auto before = exact_values_on(run, pair.table(Side::kOld)).value();
      const auto after = exact_values_on(run, pair.table(Side::kNew)).value();
      for (std::size_t p = 0; p < run.phases.size(); ++p) {
        EXPECT_EQ(after[p], run.phases[p].exact);
      }
      const double loss = release_loss(run, pair).value();
      EXPECT_NEAR(log_density(run, before) - log_density(run, after), loss, 1e-9);
      most = std::max(most, std::fabs(loss));
    }
    // eps for the first phase, and n_2/(n_1 + n_2) of it for the second.
    EXPECT_GT(most, 1.2);
    EXPECT_LE(most, 2.0);
  }
  // The mean of all pulls so far, against the table.
  const auto table = random_table(40, 4, 3);
  const auto run = run_on(twin, table, TableIndex::kPull, ReplayStream({.seed = 3}));
  const auto& last = run.phases.back();
  const auto arm = static_cast<std::size_t>(last.plan->pulled[0]);
  const std::int64_t all = last.first_pulls[0] + last.plan->pulls[0];
  double sum = 0.0;
  for (std::int64_t n = 0; n < all; ++n) sum += table->row(n)[arm];
  EXPECT_GT(last.first_pulls[0], 0);
  EXPECT_NEAR(last.exact[0], sum / static_cast<double>(all), 1e-15);
}

TEST(Faults, OfSharedNoiseTellTheDifferenceOfTwoArms) {
  const auto twin = FaultyBai::with(kFourArms, {.faults = {.shares_noise = true}, .extra = 0});
  const auto base = RewardTable::create(random_table(40, 4, 2), TableIndex::kPull).value();
  const auto read = RewardPair::replace_cell(base, 0, 1, 1.0).value();
  const auto unread = RewardPair::replace_cell(base, 39, 1, 1.0).value();
  for (const Side side : {Side::kOld, Side::kNew}) {
    const auto run = run_on_table(twin, read.table(side), ReplayStream({.seed = 1})).value();
    EXPECT_EQ(release_loss(run, read).value(), side == Side::kOld ? HUGE_VAL : -HUGE_VAL);
  }
  const auto run = run_on_table(twin, base, ReplayStream({.seed = 1})).value();
  EXPECT_EQ(release_loss(run, unread).value(), 0.0);
  const auto& phase = run.phases[0];
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR((phase.released[k] - phase.exact[k]) / phase.plan->scales[k],
                (phase.released[0] - phase.exact[0]) / phase.plan->scales[0], 1e-12);
  }
}

TEST(Faults, OfAnExactRankingTellWhoIsBetter) {
  const auto twin = FaultyBai::with(kFourArms, {.faults = {.ranks_exact = true}, .extra = 0});
  auto table = InputTable::zeros(40, 4);
  for (std::int64_t n = 0; n < 40; ++n) table.row(n)[0] = 0.5;
  for (std::int64_t n = 0; n < 40; ++n) table.row(n)[1] = 0.5;
  const auto base =
      RewardTable::create(std::make_shared<const InputTable>(table), TableIndex::kPull).value();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto run = run_on_table(twin, base, ReplayStream({.seed = seed})).value();
    EXPECT_EQ(run.recommendation(), 0);  // of a tie the first, whatever the noise
    const std::int64_t last = run.phases[1].first_pulls[0];
    const auto flips = RewardPair::replace_cell(base, last, 1, 1.0).value();
    EXPECT_EQ(release_loss(run, flips).value(), HUGE_VAL);
    const auto keeps = RewardPair::replace_cell(base, last, 0, 1.0).value();
    EXPECT_LE(std::fabs(release_loss(run, keeps).value()), 1.0 + 1e-12);
  }
}

TEST(Faults, OfTheBudgetAreRoundsOfTheRun) {
  const auto twin = FaultyBai::with(kFourArms, {.faults = {}, .extra = 3});
  const auto run =
      run_on(twin, random_table(43, 4, 1), TableIndex::kPull, ReplayStream({.seed = 1}));
  EXPECT_EQ(run.transcript.size(), 44u);
  const auto honest = FaultyBai::with(kFourArms, {});
  EXPECT_EQ(run_on(honest, random_table(40, 4, 1), TableIndex::kPull, ReplayStream({.seed = 1}))
                .transcript,
            run_on(DpBai::create(kFourArms).value(), random_table(40, 4, 1), TableIndex::kPull,
                   ReplayStream({.seed = 1}))
                .transcript);
}

// Appendix C: given the actions, a table by time and the one by pull that holds the same rewards
// where they are read give the same run, and a column does what the cell does that it becomes.
TEST(Privacy, ColumnsByTimeAndCellsByPullLoseTheSame) {
  const auto features = generated_features(FeatureKind::kSphere, 20, 3, 6).value();
  const auto policy = DpBai::create({.budget = 120}, features).value();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto by_time = random_table(120, 20, seed);
    const auto run = run_on(policy, by_time, TableIndex::kTime, ReplayStream({.seed = seed}));
    auto by_pull = InputTable::zeros(120, 20);
    std::map<int, std::int64_t> pulls;
    const auto actions = actions_of(run);
    const auto round = static_cast<std::size_t>(seed * 5);
    std::int64_t pull_there = 0;
    for (std::size_t t = 0; t < actions.size(); ++t) {
      const auto arm = static_cast<std::size_t>(actions[t]);
      if (t == round) pull_there = pulls[actions[t]];
      by_pull.row(pulls[actions[t]]++)[arm] = by_time->row(static_cast<std::int64_t>(t))[arm];
    }
    const auto table = std::make_shared<const InputTable>(std::move(by_pull));
    const auto same = run_on(policy, table, TableIndex::kPull, ReplayStream({.seed = seed}));
    EXPECT_EQ(actions_of(same), actions);
    EXPECT_EQ(same.recommendation(), run.recommendation());
    std::vector<double> changed(by_time->row(static_cast<std::int64_t>(round)).begin(),
                                by_time->row(static_cast<std::int64_t>(round)).end());
    for (double& value : changed) value = 1.0 - value;
    const auto column =
        RewardPair::replace_column(RewardTable::create(by_time, TableIndex::kTime).value(),
                                   static_cast<std::int64_t>(round), changed)
            .value();
    const auto cell =
        RewardPair::replace_cell(RewardTable::create(table, TableIndex::kPull).value(), pull_there,
                                 actions[round], changed[static_cast<std::size_t>(actions[round])])
            .value();
    EXPECT_EQ(release_loss(run, column).value(), release_loss(same, cell).value());
    EXPECT_NE(release_loss(run, column).value(), 0.0);
    // A loss is that of the relation that was played.
    EXPECT_EQ(release_loss(run, cell).error().message, "the table must be by time, not by pull");
  }
}

TEST(RewardTable, RefusesNeighboursItDoesNotHave) {
  const auto table = random_table(10, 3, 1);
  const auto pulls = RewardTable::create(table, TableIndex::kPull).value();
  const auto times = RewardTable::create(table, TableIndex::kTime).value();
  const auto cell = [&](const RewardTable& base, std::int64_t pull, int arm, double reward) {
    return RewardPair::replace_cell(base, pull, arm, reward).error().message;
  };
  const auto column = [&](const RewardTable& base, std::int64_t round, std::vector<double> values) {
    return RewardPair::replace_column(base, round, std::move(values)).error().message;
  };
  EXPECT_EQ(cell(pulls, 10, 0, 0.5), "pull must be 0 to 9, not 10");
  EXPECT_EQ(cell(pulls, 0, 3, 0.5), "arm must be 0 to 2, not 3");
  EXPECT_EQ(cell(pulls, 0, 0, 1.5), "a reward must be 0 to 1, not 1.5");
  EXPECT_EQ(cell(times, 0, 0, 0.5), "the table must be by pull, not by time");
  EXPECT_EQ(column(times, -1, {0, 0, 0}), "round must be 0 to 9, not -1");
  EXPECT_EQ(column(times, 0, {0, 0}), "a column has 3 rewards, not 2");
  EXPECT_EQ(column(pulls, 0, {0, 0, 0}), "the table must be by time, not by pull");
  const auto pair = RewardPair::replace_cell(pulls, 4, 2, 0.5).value();
  EXPECT_EQ(pair.input().differing(), 1);
  EXPECT_EQ(pair.table(Side::kNew).reward(4, 2), 0.5);
  EXPECT_EQ(pair.table(Side::kOld).reward(4, 2), table->row(4)[2]);
  // A neighbour of the neighbour differs from that, not from the first.
  const auto next = RewardPair::replace_cell(pair.table(Side::kNew), 5, 0, 0.25).value();
  EXPECT_EQ(next.table(Side::kOld).reward(4, 2), 0.5);
  EXPECT_EQ(next.table(Side::kNew).reward(5, 0), 0.25);
}

TEST(RewardTable, IsRefusedWhereItsRewardsOrSizesAreNotThoseOfAPolicy) {
  auto table = *random_table(10, 3, 1);
  const auto error = [](InputTable bad) {
    return RewardTable::create(std::make_shared<const InputTable>(std::move(bad)),
                               TableIndex::kPull)
        .error()
        .message;
  };
  for (const double reward : {std::nan(""), -0.1, 1.1}) {
    auto bad = table;
    bad.row(6)[1] = reward;
    EXPECT_THAT(error(bad), HasSubstr("row 7, column 2 must be in [0, 1]"));
  }
  EXPECT_THAT(error({0, 3, {}}), HasSubstr("at least one row"));
  EXPECT_THAT(error({10, 3, std::vector<double>(29, 0.5)}), HasSubstr("10 rows of 3 values"));

  const auto policy = SequentialHalving::create({.arms = 3, .budget = 10}).value();
  const auto run = [&](std::int64_t rows, std::int64_t arms) {
    return run_on_table(policy,
                        RewardTable::create(random_table(rows, arms, 1), TableIndex::kPull).value(),
                        ReplayStream({.seed = 1}));
  };
  ASSERT_TRUE(run(10, 3));
  EXPECT_TRUE(run(11, 3));
  EXPECT_EQ(run(9, 3).error().message,
            "the table must have 3 columns and at least 10 rows, not 3 and 9");
  EXPECT_FALSE(run(10, 2));  // an arm without rewards is not one that pays 0
  EXPECT_FALSE(run(10, 4));
  const auto short_table = RewardTable::create(random_table(9, 3, 1), TableIndex::kPull).value();
  EXPECT_FALSE(exact_values_on(*run(10, 3), short_table));
  EXPECT_FALSE(release_loss(*run(10, 3), RewardPair::replace_cell(short_table, 0, 0, 0.5).value()));
}

TEST(RewardTable, TranscriptOfARunIsItsActionsThenItsRecommendation) {
  const auto policy = SequentialHalving::create({.arms = 5, .budget = 40}).value();
  const auto run =
      run_on(policy, random_table(40, 5, 2), TableIndex::kPull, ReplayStream({.seed = 1}));
  ASSERT_EQ(run.transcript.size(), 41u);
  EXPECT_EQ(run.transcript.back(), run.phases.back().survivors.front());
  EXPECT_EQ(run.transcript.front(), 0);
}

TEST(BestArmRun, KnowsTheWorstCertificateOfItsPhases) {
  const auto features = generated_features(FeatureKind::kSphere, 40, 6, 3).value();
  const auto policy = OdLinBai::create({.budget = 400}, features).value();
  const auto run =
      run_on(policy, random_table(400, 40, 1), TableIndex::kPull, ReplayStream({.seed = 1}));
  ASSERT_GT(run.phases.size(), 1u);
  double worst = 0.0;
  for (const auto& phase : run.phases) worst = std::max(worst, phase.plan->certificate);
  EXPECT_EQ(run.worst_certificate(), worst);
  auto later = run;
  auto plan = *later.phases.back().plan;
  plan.certificate = 0.5;
  later.phases.back().plan = std::make_shared<const PhasePlan>(plan);
  EXPECT_EQ(later.worst_certificate(), 0.5);
}

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
        rounds += free.phases[ended].plan->rounds();
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

TEST(Instances, AreThoseOfThePaper) {
  const auto one = figure1_instance(3);
  EXPECT_EQ(one.features.arms, 30);
  EXPECT_EQ(one.best(), 0);
  EXPECT_NEAR(one.means[0], 0.5, 1e-15);
  EXPECT_NEAR(one.means[1], 0.45, 1e-15);
  EXPECT_NEAR(one.means[2], 0.45, 1e-15);
  for (std::size_t i = 3; i < 30; ++i) EXPECT_LE(one.means[i], 0.445);
  // min(d^2, K) = 4: gaps 0, 0.05, 0.05, at least 0.055.
  const auto hard = hardness(one, 0.1);
  EXPECT_NEAR(hard.bai, 3 / 0.0025, 1e-6);
  EXPECT_NEAR(hard.privacy, std::max(3 / 0.05, 4 / one.gaps()[3]) / 0.1, 1e-6);

  const auto two = figure2_instance(1.0, 7.0, 0.05).value();
  EXPECT_THAT(two.means, ElementsAre(0.55, 0.5));
  EXPECT_EQ(figure2_instance(0.0, 1.0, 0.1).error().path, "/x");
  EXPECT_EQ(figure2_instance(1.0, 1.0, 0.6).error().path, "/gap");

  const auto zero = lower_bound_instance(4, 0, 0.001).value();
  EXPECT_THAT(zero.means, ElementsAre(0.499, 0.496, 0.484, 0.436));
  EXPECT_EQ(zero.best(), 0);
  EXPECT_EQ(lower_bound_instance(4, 3, 0.001).value().best(), 2);
  EXPECT_EQ(lower_bound_instance(4, 5, 0.001).error().path, "/j");
  EXPECT_EQ(lower_bound_instance(4, 0, 0.01).error().path, "/first_gap");
}

TEST(Instances, OfTheLowerBoundKeepTheGapsThatTheirMeansRound) {
  // (1/2 + g_j) - (1/2 - g_i), g = 12^(i - 1) g_1: g_1 is 2^-51, which 1/2 - g_1 keeps to 3 bits.
  const double first = 0x1.8p-51;
  for (const std::int64_t j : {0, 1, 2, 12}) {
    const auto instance = lower_bound_instance(12, j, first).value();
    const auto offset = [&](std::int64_t i) { return first * std::pow(12.0, i - 1.0); };
    std::vector<double> gaps;
    for (std::int64_t i = 1; i <= 12; ++i) {
      const double most = j == 0 ? -offset(1) : offset(j);
      gaps.push_back(i == std::max<std::int64_t>(j, 1) ? 0.0 : most + offset(i));
    }
    std::sort(gaps.begin(), gaps.end());
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(instance.gaps()[i], gaps[i], 1e-13 * gaps[i]) << j << ", " << i;
    }
    double privacy = 0.0;
    for (std::size_t i = 1; i < 12; ++i) {
      privacy = std::max(privacy, (static_cast<double>(i) + 1.0) / gaps[i]);
    }
    EXPECT_NEAR(hardness(instance, 1.0).privacy / privacy, 1.0, 1e-13);
    EXPECT_EQ(instance.best(), std::max<std::int64_t>(j - 1, 0));
  }
  // Where the means do not show the gap at all.
  EXPECT_EQ(lower_bound_instance(13, 0, std::pow(13.0, -15.0)).error().path, "/first_gap");
  EXPECT_TRUE(lower_bound_instance(12, 0, 0.9 * std::pow(12.0, -14.0)));
}

TEST(Instances, OfOneDimensionHaveNoHardness) {
  const BestArmInstance line{{3, 1, {3, 2, 1}}, {0.3, 0.2, 0.1}, {0.0, 0.1, 0.2}};
  EXPECT_EQ(hardness(line, 1.0).total(), 0.0);  // i = 2..min(d^2, K)
}

TEST(Instances, UniformArmsPayTheirMeansInsideTheUnitInterval) {
  const auto arms = UniformArms::create({0.5, 0.1, 0.55, 1.0}).value();
  for (int arm = 0; arm < 4; ++arm) {
    ReplayStream random({.seed = 4});
    double sum = 0.0;
    for (int n = 0; n < 20'000; ++n) {
      const double reward = arms.feedback(n, arm, random);
      ASSERT_GE(reward, 0.0);
      ASSERT_LE(reward, 1.0);
      sum += reward;
    }
    EXPECT_NEAR(sum / 20'000, arms.means()[static_cast<std::size_t>(arm)], 0.02);
  }
  EXPECT_EQ(UniformArms::create({0.5, 1.1}).error().path, "/means/1");
}

TEST(ErrorRate, IsTheSameOnAnyNumberOfThreadsAndThatOfPlainTrials) {
  const auto instance = figure1_instance(1);
  const auto arms = UniformArms::create(instance.means).value();
  const auto policy = DpBai::create({.budget = 200}, instance.features).value();
  const TrialPlan plan{.id = "dp-bai", .trials = 120};
  const auto one = count_errors(policy, arms, 0, plan, 1);
  EXPECT_EQ(one, count_errors(policy, arms, 0, plan, 3));
  std::int64_t errors = 0;
  for (std::int64_t trial = 0; trial < 120; ++trial) {
    errors += play_trial(policy, arms, plan, trial) != 0 ? 1 : 0;
  }
  EXPECT_EQ(one.errors, errors);
  EXPECT_GT(errors, 0);
  EXPECT_LT(errors, 60);
}

}  // namespace
}  // namespace assay
