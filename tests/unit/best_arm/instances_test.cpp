// Instances against the paper's numbers.
#include "assay/policies/best_arm/instances.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

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
  // g_i = 12^(i - 1) g_1, of which 1/2 - g_1 keeps three bits.
  const double first = 5e-16;
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

}  // namespace
}  // namespace assay
