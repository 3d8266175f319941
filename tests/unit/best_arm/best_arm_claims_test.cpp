// Claims about private best-arm identification: the numbers of counterexamples against the policies
// themselves, known values.
#include "assay/auditors/best_arm/claims/gaussian_levels.hpp"
#include "assay/auditors/best_arm/claims/searches.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/error_rate.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/best_arm/reward_table.hpp"
#include "assay/policies/environments/bernoulli_arms.hpp"
#include "assay/tests/support/sample_certificates.hpp"

namespace assay {
namespace {

// ---- one dimension ------------------------------------------------------------------------------

// Assay's policy uses all T pulls, one more than the printed one.
TEST(OneDimension, DpBaiErrsAsOftenAsTheNoiseIsBelowTheMean) {
  const auto found = best_arm_checks::one_dimension_at({0.5, 6.0});
  DpBaiConfig config{.budget = 5, .epsilon = 0.5};
  const auto policy = DpBai::create(config, {2, 1, {1.0, 0.5}}).value();
  ASSERT_EQ(policy.planner().plan(0, all_arms(2))->pulls, std::vector<std::int64_t>{5});
  constexpr int kTrials = 100'000;
  const auto arms = BernoulliArms::create(std::vector{1.0, 0.5}).value();
  const auto count = must(count_errors(policy, arms, 0, {"tests/one-dimension", kTrials, 1}));
  EXPECT_NEAR(count.errors / static_cast<double>(kTrials), found.error,
              5.0 * std::sqrt(found.error / kTrials));
}

// ---- the Gaussian constant ----------------------------------------------------------------------

TEST(GaussianLevels, AreThoseOfTheSpecification) {
  EXPECT_NEAR(best_arm_checks::true_delta(BestArmView::kRelease, 10.0, 1e-2) / 1e-2, 4.06, 0.005);
  EXPECT_NEAR(best_arm_checks::true_delta(BestArmView::kRelease, 20.0, 1e-5) / 1e-5, 153.0, 0.5);
  EXPECT_NEAR(best_arm_checks::true_delta(BestArmView::kTranscript, 40.0, 1e-5) / 1e-5, 2.43,
              0.005);
}

TEST(GaussianLevels, TheBoundaryIsWhereTheExactDeltaCrosses) {
  for (const auto view : {BestArmView::kRelease, BestArmView::kTranscript}) {
    for (const double delta : {0.1, 1e-3, 1e-6, 1e-10}) {
      const double at = best_arm_checks::boundary(view, delta).value();
      EXPECT_GT(at, 1.0);
      EXPECT_LE(best_arm_checks::true_delta(view, 0.999999 * at, delta), delta);
      EXPECT_GT(best_arm_checks::true_delta(view, 1.000001 * at, delta), delta);
      // From there on it stays above, as the map says.
      for (double epsilon = at * 1.01; epsilon < 500.0; epsilon *= 1.1) {
        EXPECT_GT(best_arm_checks::true_delta(view, epsilon, delta), delta) << epsilon;
      }
    }
  }
}

// The event of the certificate, on the policy itself: three arms, T = 6 n.
TEST(GaussianLevels, TheEventIsThatOfThePolicy) {
  const auto found = best_arm_checks::gaussian_at(BestArmView::kTranscript, {20.0, 0.05});
  const ArmFeatures features{3, 2, {0.0, 1.0, 1.0, 0.0, 1.0, 1.0}};
  DpBaiGaussConfig config{.budget = 6 * found.pulls,
                          .epsilon = found.epsilon,
                          .delta = found.delta,
                          .calibration = Calibration::kPaper};
  const auto policy = DpBaiGauss::create(config, features).value();
  const auto plan = policy.planner().plan(0, all_arms(3));
  ASSERT_EQ(plan->pulls, (std::vector<std::int64_t>(3, found.pulls)));
  ASSERT_EQ(plan->keep, 2);
  EXPECT_NEAR(plan->scales[0] * static_cast<double>(found.pulls),
              best_arm_checks::classical_deviation(found.epsilon, found.delta), 1e-12);
  const std::vector<std::int64_t> counts(3, found.pulls);
  const auto rate = [&](double sum) {
    const auto exact =
        plan->exact_values(std::vector{sum, 0.0, static_cast<double>(found.pulls)}, counts);
    constexpr int kTrials = 200'000;
    ReplayStream random({1, hash_purpose("test/bai-gauss"), 0, 0});
    int dropped = 0;
    for (int i = 0; i < kTrials; ++i) {
      const auto survivors = plan->survivors(plan->release(exact, random));
      dropped += survivors.front() != 0;
    }
    return static_cast<double>(dropped) / kTrials;
  };
  EXPECT_NEAR(rate(found.others), found.p, 5.0 * std::sqrt(found.p / 200'000.0));
  EXPECT_NEAR(rate(found.others + 1.0), found.q, 5.0 * std::sqrt(0.01 / 200'000.0));
}

// ---- DP-OD --------------------------------------------------------------------------------------

TEST(DpOdLevels, TheRecommendationIsThatOfThePolicy) {
  const Point point{0.5, 0.8, 0.4, 3.0};  // eps, y, t, n
  const auto found = best_arm_checks::recommendation_at(point);
  const ArmFeatures features{3, 2, {1.0, 0.8, 0.8, -1.0, 0.4, 0.32}};
  DpOdConfig config{.budget = 6, .epsilon = 0.5, .norm = MomentNorm::kL2};
  const auto policy = DpOd::create(config, features).value();
  const auto plan = policy.planner().plan(0, all_arms(3));
  ASSERT_EQ(plan->pulled, (std::vector<int>{0, 1}));
  ASSERT_EQ(plan->pulls, (std::vector<std::int64_t>{3, 3}));
  const auto rate = [&](double sum) {
    const auto exact = plan->exact_values(std::vector{sum, 0.0}, std::vector<std::int64_t>{3, 3});
    constexpr int kTrials = 400'000;
    ReplayStream random({2, hash_purpose("test/dp-od"), 0, 0});
    int third = 0;
    for (int i = 0; i < kTrials; ++i) {
      third += plan->survivors(plan->release(exact, random)).front() == 2;
    }
    return static_cast<double>(third) / kTrials;
  };
  EXPECT_NEAR(rate(2.0), found.p, 5.0 * std::sqrt(found.p / 400'000.0));
  EXPECT_NEAR(rate(3.0), found.q, 5.0 * std::sqrt(found.q / 400'000.0));
}

TEST(DpOdLevels, TwoUnitVectorsFortyFiveDegreesApartCostTheKnownFactor) {
  const double half = 3.14159265358979323846 / 8.0;
  const auto found = best_arm_checks::later_basis_at(
      {std::cos(half), std::sin(half), std::cos(half), -std::sin(half)});
  EXPECT_NEAR(found.norm, 1.3066, 5e-5);
  EXPECT_NEAR(found.loss, 1.0824, 5e-5);
}

TEST(DpOdLevels, OnlyTheOneNormOfThePhaseIsEnough) {
  const auto convicted = [](best_arm_checks::NormReading reading) {
    SearchPlan plan{.points = 200, .climbs = 4, .purpose = "test/dp-od"};
    return search_violation(best_arm_checks::moments_search(reading), plan, {})
        .violation.has_value();
  };
  EXPECT_FALSE(convicted(best_arm_checks::NormReading::kL1));
  EXPECT_TRUE(convicted(best_arm_checks::NormReading::kL2));
  EXPECT_TRUE(convicted(best_arm_checks::NormReading::kFirstL1));
}

// ---- the rest -----------------------------------------------------------------------------------

TEST(BestArmClaims, TheBudgetIsThatOfTheScheduleAsPrinted) {
  // K = 64, d = 8, T = 457 by hand: see budget_certificate().
  EXPECT_EQ(best_arm_checks::budget_at({64.0, 8.0, 457.0}).spent, 471.0);
  double most = 0.0;
  for (double budget = 200.0; budget <= 4'000.0; ++budget) {
    most = std::max(most, best_arm_checks::budget_at({64.0, 8.0, budget}).spent - budget);
  }
  EXPECT_EQ(most, 41.0);
}

TEST(BestArmClaims, TheChangeOfMeasureHoldsUpToTheRootOfItsEquation) {
  const auto margin = best_arm_checks::change_of_measure_search().margin;
  for (const double distance : {1e-4, 1e-3, 0.01, 0.1, 0.5, 1.0}) {
    EXPECT_LE(margin({2.917, distance}), 0.0) << distance;
  }
  EXPECT_GT(margin({2.93, 1e-4}), 0.0);
}

}  // namespace
}  // namespace assay
