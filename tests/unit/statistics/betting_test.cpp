#include "assay/auditors/statistics/betting.hpp"

#include <boost/math/distributions/poisson.hpp>

#include "assay/auditors/statistics/bet_fraction.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/tests/support/betting_cases.hpp"

namespace assay {
namespace {

using detail::bet_fraction;
using detail::BetSide;

const boost::math::poisson_distribution<> kFour(4.0);

TEST(BetFraction, IsTheJumpOfThePoissonPriceAtAWholeStrike) {
  // r = m tau/J = 4: the price of "at least 9 more" turns into that of "at least 8 more".
  const double u = boost::math::cdf(boost::math::complement(kFour, 8));
  const double after = boost::math::cdf(boost::math::complement(kFour, 7));
  EXPECT_NEAR(bet_fraction(BetSide::kAbove, u, 0.02, 0.5, 100.0), (after / u - 1.0) / 0.5, 1e-6);
  const double low = boost::math::cdf(kFour, 1);
  const double low_after = boost::math::cdf(kFour, 0);
  EXPECT_NEAR(bet_fraction(BetSide::kBelow, low, 0.02, 0.5, 100.0), (1.0 - low_after / low) / 0.5,
              1e-9);
}

TEST(BetFraction, StakesEverythingOnNoHitsWhereNotOneCanBeAfforded) {
  EXPECT_DOUBLE_EQ(bet_fraction(BetSide::kBelow, 0.01, 0.02, 1.0, 200.0), 1.0);
}

TEST(BetFraction, BecomesTheNormalBet) {
  for (const double u : {1e-6, 1e-3, 0.05, 0.7}) {
    const double w = normal_ccdf_quantile(u);
    const double m = 0.3, jump = 0.5, remaining = 1e8;
    const double expected = normal_hazard(w) / std::sqrt(m * jump * remaining);
    EXPECT_NEAR(bet_fraction(BetSide::kAbove, u, m, jump, remaining) / expected, 1.0, 2e-3);
    EXPECT_NEAR(bet_fraction(BetSide::kBelow, u, m, jump, remaining) / expected, 1.0, 2e-3);
  }
}

TEST(BetFraction, ItsThreePiecesMeet) {
  for (const BetSide side : {BetSide::kAbove, BetSide::kBelow}) {
    for (const double u : {1e-6, 1e-4, 1e-2, 0.3}) {
      for (const double rate : {30.0, 1e4}) {
        const double before = bet_fraction(side, u, 1e-3, 1.0, rate * 1e3 * (1 - 1e-9));
        const double after = bet_fraction(side, u, 1e-3, 1.0, rate * 1e3 * (1 + 1e-9));
        EXPECT_NEAR(before / after, 1.0, 0.06) << u << ' ' << rate;
      }
    }
  }
}

TEST(BetFraction, EndsAtEveryPriceAndRate) {
  for (double u = 1e-18; u < 1.0; u *= 3.7) {
    for (double rate = 1e-9; rate < 1e9; rate *= 2.3) {
      for (const BetSide side : {BetSide::kAbove, BetSide::kBelow}) {
        const double lambda = bet_fraction(side, u, rate, 1.0, 1.0);
        EXPECT_TRUE(std::isfinite(lambda) && lambda >= -1e-9) << u << ' ' << rate;
      }
    }
  }
}

TEST(JumpSize, IsTheRatioOfVarianceToMean) {
  detail::JumpSize bare(0.0, 0.0, 0.7);
  EXPECT_EQ(bare.value(), 0.7);
  bare.add(1'000'000, 10.0, 10.0);
  EXPECT_NEAR(bare.value(), 1.0, 1e-4);
  detail::JumpSize piloted(0.2, 0.03, 0.7);
  EXPECT_NEAR(piloted.value(), 0.15, 0.05);
  piloted.add(1'000'000, 5e5, 5e5);
  EXPECT_NEAR(piloted.value(), 0.5, 1e-3);
}

TEST(MeanExceeds, TheWealthIsTheProductOfItsBets) {
  // By hand for one observation: no gambler knows anything yet, and all three add up to 1.
  MeanExceedsTest test(0.1, {0.05, 1, 0.2, 0.1});
  EXPECT_NEAR(test.max_log_wealth(), 0.0, 1e-15);
  const double price = 0.05 * 0.8 / 1.05;
  const double jump = detail::JumpSize(0.2, 0.1, 1.0).value();
  EXPECT_LT(price, 1.0);
  double expected = 0.0;
  for (const double share : {0.8, 0.13, 0.07}) {
    const double lambda =
        std::min(9.5, bet_fraction(BetSide::kAbove, 0.05 * share / 1.05, 0.1, jump, 1.0));
    expected += share * (1.0 + lambda * (0.6 - 0.1));
  }
  const std::vector<double> one{0.6};
  test.observe(one);
  EXPECT_NEAR(test.max_log_wealth(), std::log(expected), 1e-12);
}

TEST(MeanExceeds, DoesNotDependOnTheBatching) {
  const auto values = draws(gaussian_loss_case(1.0, 1.0), 5000, 1);
  const BettingPlan plan{1e-3, 5000, 0.12, 0.06};
  MeanExceedsTest whole(0.10, plan), pieces(0.10, plan), zeros(0.10, plan);
  whole.observe(values);
  const std::span<const double> all(values);
  for (std::size_t i = 0, step = 1; i < all.size(); i += step, step = step % 97 + 13) {
    step = std::min(step, all.size() - i);
    pieces.observe(all.subspan(i, step));
  }
  for (const double v : values) {
    if (v == 0.0) {
      zeros.observe_zeros(1);
    } else {
      zeros.observe(std::vector<double>{v});
    }
  }
  EXPECT_NEAR(pieces.max_log_wealth(), whole.max_log_wealth(), 1e-9);
  EXPECT_NEAR(zeros.max_log_wealth(), whole.max_log_wealth(), 1e-9);
}

TEST(MeanExceeds, CertifiesAndThenKeepsItsVerdict) {
  const std::vector<double> ones(50, 1.0), zeros(5000, 0.0);
  MeanExceedsTest test(0.2, {1e-3, 50, 0.0, 0.0});
  std::size_t seen = 0;
  while (seen < ones.size() && !test.certified()) test.observe(std::span(ones).subspan(seen++, 1));
  ASSERT_TRUE(test.certified());
  const double wealth = test.max_log_wealth();
  EXPECT_GE(wealth, std::log(1e3));
  test.observe(std::span(ones).subspan(seen));
  test.observe(zeros);
  EXPECT_TRUE(test.certified());
  EXPECT_EQ(test.max_log_wealth(), wealth);
}

TEST(MeanExceeds, StopsEarlyWhenTheViolationIsGross) {
  // 10^5 planned; the mean is 0.3 where 0.1 is claimed, which 200 values would show.
  const auto values = draws(bernoulli_case(0.3), 100000, 2);
  MeanExceedsTest test(0.1, {1e-3, 100000, 0.3, 0.21});
  std::size_t used = 0;
  while (used < values.size() && !test.certified()) {
    test.observe(std::span<const double>(values).subspan(used, 10));
    used += 10;
  }
  EXPECT_TRUE(test.certified());
  EXPECT_LT(used, 10000u);
}

TEST(MeanTests, EdgesOfTheRangeNeedOneObservation) {
  MeanExceedsTest above(0.0, {1e-3, 100, 0.0, 0.0});
  above.observe_zeros(1000);
  EXPECT_FALSE(above.certified());
  above.observe(std::vector<double>{1e-9});
  EXPECT_TRUE(above.certified());
  MeanBelowTest below(1.0, 1.0, {1e-3, 100, 0.0, 0.0});
  below.observe(std::vector<double>{1.0, 1.0, 1.0});
  EXPECT_FALSE(below.certified());
  below.observe(std::vector<double>{0.5});
  EXPECT_TRUE(below.certified());
}

TEST(MeanBounds, AreTrivialWithoutDataAndWithConstantData) {
  const BettingPlan plan{1e-3, 1000, 0.0, 0.0};
  EXPECT_EQ(mean_lower_bound({}, plan).value.value, 0.0);
  EXPECT_EQ(mean_upper_bound({}, 2.0, plan).value.value, 2.0);
  const std::vector<double> zeros(1000, 0.0), ones(1000, 1.0), halves(1000, 0.5);
  EXPECT_EQ(mean_lower_bound(zeros, plan).value.value, 0.0);
  EXPECT_EQ(mean_upper_bound(ones, 1.0, plan).value.value, 1.0);
  EXPECT_GT(mean_lower_bound(ones, plan).value.value, 0.97);
  const auto interval = mean_interval(halves, 1.0, plan);
  EXPECT_LE(interval.lower.value.value, 0.5);
  EXPECT_GE(interval.upper.value.value, 0.5);
  EXPECT_LT(interval.upper.value.value - interval.lower.value.value, 0.05);
}

TEST(MeanBounds, ScaleWithTheVariable) {
  auto values = draws(uniform_case(), 2000, 3);
  const BettingPlan plan{1e-3, 2000, 0.5, 1.0 / 12.0};
  const double lower = mean_lower_bound(values, plan).value.value;
  const double upper = mean_upper_bound(values, 1.0, plan).value.value;
  for (double& v : values) v *= 0x1.0p20;
  const BettingPlan scaled{1e-3, 2000, 0.5 * 0x1.0p20, 0x1.0p40 / 12.0};
  EXPECT_NEAR(mean_lower_bound(values, scaled).value.value, lower * 0x1.0p20, 2e-3 * 0x1.0p20);
  EXPECT_NEAR(mean_upper_bound(values, 0x1.0p20, scaled).value.value, upper * 0x1.0p20,
              2e-3 * 0x1.0p20);
}

TEST(MeanBounds, TakeHeavyTailedWeights) {
  // Importance weights from 1e-6 to 1e6: large products must not overflow into nonsense.
  std::vector<double> values;
  ReplayStream random({1, 2, 3, 0});
  for (int i = 0; i < 5000; ++i) values.push_back(portable_exp(28.0 * random.uniform() - 14.0));
  const double lower = mean_lower_bound(values, {1e-3, 5000, 0.0, 0.0}).value.value;
  EXPECT_GT(lower, 1e3);
  EXPECT_LT(lower, 4.3e4);  // the mean is sinh(14)/14
}

TEST(SmallestVisibleMean, OfNoClaimIsOneHit) {
  // claim 0: one hit convicts, so that the power is 1 - (1 - m)^n.
  const BettingPlan plan{1e-3, 1000, 0.0, 0.0};
  const double visible = smallest_visible_mean(0.0, plan, 0.9, 7);
  EXPECT_GE(1.0 - std::pow(1.0 - visible, 1000), 0.9);
  EXPECT_LE(visible, 1.7 * 2.3e-3);
}

TEST(SmallestVisibleMean, HasThePowerThatItPromises) {
  const BettingPlan plan{1e-3, 2000, 0.0, 0.0};
  const double claim = 0.1;
  const double visible = smallest_visible_mean(claim, plan, 0.9, 7);
  EXPECT_GT(visible, claim);
  // Normal approximation: (3.09 + 1.28) standard errors; a fifth more is allowed.
  EXPECT_LT(visible - claim, 1.25 * 4.37 * std::sqrt(0.12 * 0.88 / 2000));
  int certified = 0;
  constexpr int kRuns = 1000;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    MeanExceedsTest test(claim, plan);
    test.observe(draws(bernoulli_case(visible), 2000, run, 11));
    certified += test.certified();
  }
  EXPECT_GE(certified, 0.9 * kRuns);
}

TEST(SmallestVisibleMean, IsOneWhereNothingCanBeSeen) {
  EXPECT_EQ(smallest_visible_mean(0.5, {1e-3, 3, 0.0, 0.0}, 0.9, 7), 1.0);
  EXPECT_EQ(smallest_visible_mean(1.0, {1e-3, 1000, 0.0, 0.0}, 0.9, 7), 1.0);
}

}  // namespace
}  // namespace assay
