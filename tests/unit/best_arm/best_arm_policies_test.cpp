// The policies against Algorithm 1 written down plainly, against rewards that are exactly linear,
// and against their privacy: what a run releases, and what another table would have given it.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/early_stopping.hpp"
#include "assay/policies/best_arm/error_rate.hpp"
#include "assay/policies/best_arm/instances.hpp"
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

// What every run owes, whatever the policy.
template <class P>
void expect_sound(const P& policy, const BestArmRun& run, std::int64_t arms) {
  const auto actions = run.actions();
  EXPECT_EQ(static_cast<std::int64_t>(actions.size()), policy.budget());
  std::vector<int> active(static_cast<std::size_t>(arms));
  std::iota(active.begin(), active.end(), 0);
  std::int64_t round = 0;
  std::map<int, std::int64_t> before;
  for (const auto& phase : run.phases) {
    EXPECT_EQ(phase.plan->active, active);
    EXPECT_EQ(phase.first_round, round);
    EXPECT_TRUE(std::includes(active.begin(), active.end(), phase.plan->pulled.begin(),
                              phase.plan->pulled.end()));
    for (std::size_t j = 0; j < phase.plan->pulled.size(); ++j) {
      EXPECT_GE(phase.plan->pulls[j], 1);
      EXPECT_EQ(phase.first_pulls[j], before[phase.plan->pulled[j]]);
      before[phase.plan->pulled[j]] += phase.plan->pulls[j];
    }
    EXPECT_TRUE(std::includes(active.begin(), active.end(), phase.survivors.begin(),
                              phase.survivors.end()));
    EXPECT_EQ(static_cast<std::int64_t>(phase.survivors.size()), phase.plan->keep);
    active = phase.survivors;
    round += phase.plan->rounds();
  }
  EXPECT_THAT(active, ElementsAre(run.recommendation));
}

TEST(DpBai, IsAlgorithm1WrittenDownPlainly) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    // d = 2: phase 1 pulls a Max-Det collection of 2 arms; its alphas by Cramer's rule.
    const auto features = generated_features(FeatureKind::kSphere, 12, 2, seed).value();
    DpBaiConfig config{.budget = 101, .epsilon = 0.7};
    const auto policy = DpBai::create(config, features).value();
    const auto table = random_table(101, 12, seed);
    const ReplayStream random({.seed = seed});
    const auto run = run_on_table(policy, table, TableIndex::kPull, random);
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
    EXPECT_EQ(run.recommendation, std::max_element(means.begin(), means.end()) - means.begin());
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
    const auto run = run_on_table(policy, table, TableIndex::kPull, ReplayStream({.seed = 5}));
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
  EXPECT_EQ(od.recommendation, best - table->row(0).begin());
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
      run_on_table(policy, random_table(300, 30, 1), TableIndex::kPull, ReplayStream({.seed = 1}));
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
  expect_sound(policy,
               run_on_table(policy, random_table(least, 64, 1), TableIndex::kPull,
                            ReplayStream({.seed = 1})),
               64);
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
      const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
      const auto plan = policy.planner().plan(0, all);
      EXPECT_EQ(plan.noise, PhaseNoise::kGaussian);
      return plan.scales[0] * static_cast<double>(plan.pulls[0]);
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
    std::vector<int> all(static_cast<std::size_t>(features.arms));
    std::iota(all.begin(), all.end(), 0);
    return policy.planner().plan(0, all).scales;
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
      run_on_table(policy, random_table(50, 2, 3), TableIndex::kPull, ReplayStream({.seed = 9}));
  expect_sound(policy, run, 2);
  const auto& phase = run.phases[0];
  EXPECT_THAT(phase.plan->pulls, ElementsAre(25, 25));
  const auto scores = phase.plan->scores(phase.released);
  const double noise1 = phase.released[0] - phase.exact[0];
  const double noise2 = phase.released[1] - phase.exact[1];
  EXPECT_NEAR(scores[0], phase.exact[0] / 25.0 + noise1 / 25.0, 1e-13);
  EXPECT_NEAR(scores[1], phase.exact[1] / (4.0 * 25.0) + noise2 / (4.0 * 25.0), 1e-13);
}

// The largest |loss| of what a run releases, over random tables, pairs and runs.
template <class P>
double largest_release_loss(const P& policy, std::int64_t arms, TableIndex index) {
  double most = 0.0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    ReplayStream random({.seed = seed, .purpose = 5});
    auto table = *random_table(policy.budget(), arms, seed);
    const auto row = static_cast<std::int64_t>(random.uniform() * 20.0);
    std::vector<double> changed(static_cast<std::size_t>(arms), 1.0);
    for (double& value : table.row(row)) value = 0.0;
    const auto base = std::make_shared<const InputTable>(std::move(table));
    const int arm = static_cast<int>(random.uniform() * static_cast<double>(arms));
    const auto pair = index == TableIndex::kPull ? replace_cell(base, row, arm, 1.0).value()
                                                 : replace_column(base, row, changed).value();
    const auto run = run_on_table(policy, base, index, ReplayStream({.seed = seed}));
    most = std::max(most, std::fabs(release_loss(run, index, pair)));
    // The played values are those of the old table, to the bit, and at most one phase differs.
    const auto before = exact_values_on(run, index, pair, TableSide::kOld);
    const auto after = exact_values_on(run, index, pair, TableSide::kNew);
    int differing = 0;
    for (std::size_t p = 0; p < run.phases.size(); ++p) {
      EXPECT_EQ(before[p], run.phases[p].exact);
      differing += before[p] != after[p] ? 1 : 0;
    }
    EXPECT_LE(differing, 1);
    EXPECT_NEAR(run.log_density(before) - run.log_density(after), release_loss(run, index, pair),
                1e-9);
  }
  return most;
}

TEST(Privacy, TheReleaseOfEveryPrivatePolicyLosesAtMostEpsilon) {
  const auto features = generated_features(FeatureKind::kSphere, 20, 3, 6).value();
  for (const auto index : {TableIndex::kPull, TableIndex::kTime}) {
    const double bai = largest_release_loss(
        DpBai::create({.budget = 120, .epsilon = 1.5}, features).value(), 20, index);
    EXPECT_LE(bai, 1.5 * (1.0 + 1e-12));
    EXPECT_GT(bai, 1.4);
    EXPECT_LE(
        largest_release_loss(BaiBaseline::create({.budget = 120, .epsilon = 1.5}, features).value(),
                             20, index),
        1.5 * (1.0 + 1e-12));
    EXPECT_LE(largest_release_loss(DpOd::create({.budget = 120, .epsilon = 1.5}, features).value(),
                                   20, index),
              1.5 * (1.0 + 1e-12));
    // Read with the l2 norm the noise is not enough.
    EXPECT_GT(largest_release_loss(
                  DpOd::create({.budget = 120, .epsilon = 1.5, .norm = MomentNorm::kL2}, features)
                      .value(),
                  20, index),
              1.6);
  }
}

// Appendix C: given the actions, a table by time and the one by pull that holds the same rewards
// where they are read give the same run, and a column does what the cell does that it becomes.
TEST(Privacy, ColumnsByTimeAndCellsByPullLoseTheSame) {
  const auto features = generated_features(FeatureKind::kSphere, 20, 3, 6).value();
  const auto policy = DpBai::create({.budget = 120}, features).value();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto by_time = random_table(120, 20, seed);
    const auto run = run_on_table(policy, by_time, TableIndex::kTime, ReplayStream({.seed = seed}));
    auto by_pull = InputTable::zeros(120, 20);
    std::map<int, std::int64_t> pulls;
    const auto actions = run.actions();
    const auto round = static_cast<std::size_t>(seed * 5);
    std::int64_t pull_there = 0;
    for (std::size_t t = 0; t < actions.size(); ++t) {
      const auto arm = static_cast<std::size_t>(actions[t]);
      if (t == round) pull_there = pulls[actions[t]];
      by_pull.row(pulls[actions[t]]++)[arm] = by_time->row(static_cast<std::int64_t>(t))[arm];
    }
    const auto table = std::make_shared<const InputTable>(std::move(by_pull));
    const auto same = run_on_table(policy, table, TableIndex::kPull, ReplayStream({.seed = seed}));
    EXPECT_EQ(same.actions(), actions);
    EXPECT_EQ(same.recommendation, run.recommendation);
    std::vector<double> changed(by_time->row(static_cast<std::int64_t>(round)).begin(),
                                by_time->row(static_cast<std::int64_t>(round)).end());
    for (double& value : changed) value = 1.0 - value;
    const auto column = replace_column(by_time, static_cast<std::int64_t>(round), changed).value();
    const auto cell = replace_cell(table, pull_there, actions[round],
                                   changed[static_cast<std::size_t>(actions[round])])
                          .value();
    EXPECT_EQ(release_loss(run, TableIndex::kTime, column),
              release_loss(same, TableIndex::kPull, cell));
    EXPECT_NE(release_loss(run, TableIndex::kTime, column), 0.0);
  }
}

TEST(RewardTable, RefusesNeighboursItDoesNotHave) {
  const auto base = random_table(10, 3, 1);
  EXPECT_THAT(replace_cell(base, 10, 0, 0.5).error().message, "pull must be 0 to 9, not 10");
  EXPECT_THAT(replace_cell(base, 0, 3, 0.5).error().message, "arm must be 0 to 2, not 3");
  EXPECT_THAT(replace_cell(base, 0, 0, 1.5).error().message, "a reward must be 0 to 1, not 1.5");
  EXPECT_THAT(replace_column(base, -1, {0, 0, 0}).error().message, "round must be 0 to 9, not -1");
  EXPECT_THAT(replace_column(base, 0, {0, 0}).error().message, "a column has 3 rewards, not 2");
  EXPECT_EQ(replace_cell(base, 4, 2, 0.5).value().differing(), 1);
}

TEST(EarlyStopping, IsThePolicyUntilTheArmHasItsPulls) {
  using Stopped = EarlyStopping<SequentialHalving>;
  const SequentialHalvingConfig inner{.arms = 4, .budget = 40};
  const auto table = random_table(40, 4, 8);
  const ReplayStream random({.seed = 1});
  const auto free =
      run_on_table(SequentialHalving::create(inner).value(), table, TableIndex::kPull, random);
  const auto actions = free.actions();
  for (std::int64_t arm = 0; arm < 4; ++arm) {
    const auto all = std::count(actions.begin(), actions.end(), static_cast<int>(arm));
    for (std::int64_t n = 0; n <= all + 1; ++n) {
      auto policy = Stopped::create({inner, arm, n}).value();
      RewardTable rewards(table, TableIndex::kPull);
      ReplayStream words = random;
      std::vector<int> played;
      while (!policy.is_done()) {
        played.push_back(policy.choose(words));
        policy.observe(rewards.feedback(policy.round(), played.back(), words), words);
      }
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
      EXPECT_EQ(played, expected);
      EXPECT_EQ(policy.recommendation(), stopped ? 4 : free.recommendation);
      EXPECT_EQ(policy.pulls(), std::min<std::int64_t>(n, all));
    }
  }
  EXPECT_EQ(Stopped::create({inner, 4, 1}).error().path, "/arm");
  EXPECT_EQ(Stopped::create({inner, 0, -1}).error().path, "/pulls");
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
