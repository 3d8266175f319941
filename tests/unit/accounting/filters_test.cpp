// Filters never let the exact sum pass the budget,
// say what would, and odometers follow their formula.
#include "assay/mechanisms/accounting/filters.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Big = boost::multiprecision::cpp_bin_float_50;

double uniform_of_53_bits(ReplayStream& random) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

TEST(Filter, AdmitsExactlyItsBudget) {
  auto pure = *PureFilter::create({Epsilon{1.0}});
  EXPECT_TRUE(pure.spend({Epsilon{0.75}}));
  EXPECT_TRUE(pure.spend({Epsilon{0.25}}));
  EXPECT_FALSE(pure.admits({Epsilon{1e-300}}));
  EXPECT_TRUE(pure.spend({Epsilon{0.0}})) << "nothing costs nothing";
  auto gaussian = *GaussianFilter::create({Mu{0.1}});
  EXPECT_TRUE(gaussian.spend({Mu{0.1}})) << "its square is rounded, the budget still fits";
  EXPECT_FALSE(gaussian.spend({Mu{1e-9}}));
  auto quarters = *GaussianFilter::create({Mu{1.0}});
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(quarters.spend({Mu{0.5}}));
  EXPECT_FALSE(quarters.admits({Mu{0.1}}));
}

TEST(Filter, SaysWhatWouldExceedAndSpendsNothing) {
  auto filter = *ConcentratedFilter::create({Rho{1.0}});
  ASSERT_TRUE(filter.spend({Rho{0.75}}));
  const auto refused = error_of(filter.spend({Rho{0.5}}));
  EXPECT_EQ(refused.message,
            "rho = 0.5 would raise the amount spent from 0.75 to 1.25, above the budget of 1");
  EXPECT_EQ(refused.path, "/rho");
  EXPECT_EQ(filter.spent().rho.value, 0.75);
  EXPECT_TRUE(filter.spend({Rho{0.25}})) << "a smaller one still fits";
  auto gaussian = *GaussianFilter::create({Mu{1.0}});
  ASSERT_TRUE(gaussian.spend({Mu{0.75}}));
  EXPECT_THAT(gaussian.spend({Mu{1.0}}).error().message,
              HasSubstr("mu = 1 would raise the amount spent from 0.75"));
}

TEST(Filter, RefusesBadInput) {
  for (const double bad : {-1.0, std::nan(""), kInfinity}) {
    EXPECT_EQ(PureFilter::create({Epsilon{bad}}).error().path, "/budget");
    EXPECT_THAT(GaussianFilter::create({Mu{bad}}).error().message,
                HasSubstr("budget must be finite and at least 0"));
    auto filter = *ConcentratedFilter::create({Rho{1.0}});
    EXPECT_EQ(filter.spend({Rho{bad}}).error().path, "/rho");
    EXPECT_FALSE(filter.admits({Rho{bad}}));
    EXPECT_EQ(filter.spent().rho.value, 0.0);
  }
  auto none = *PureFilter::create({});
  EXPECT_FALSE(none.spend({Epsilon{5e-324}}));
  EXPECT_TRUE(none.spend({}));
}

TEST(Filter, NeverLetsTheExactSumPassTheBudgetAndStopsOnlyWhereItWould) {
  ReplayStream random({.seed = 7});
  for (int run = 0; run < 50; ++run) {
    const double budget = 0.1 + uniform_of_53_bits(random);
    auto pure = *PureFilter::create({Epsilon{budget}});
    auto gaussian = *GaussianFilter::create({Mu{budget}});
    Big sum = 0;
    Big squares = 0;
    for (int step = 0; step < 400; ++step) {
      const double level = 0.02 * uniform_of_53_bits(random);
      if (pure.spend({Epsilon{level}})) {
        sum += Big(level);
        ASSERT_LE(sum, Big(budget));
      } else {
        ASSERT_GT(sum + Big(level), Big(budget) * (1 - Big(1e-13)));
      }
      if (gaussian.spend({Mu{level}})) {
        squares += Big(level) * Big(level);
        ASSERT_LE(squares, Big(budget) * Big(budget));
      } else {
        ASSERT_GT(squares + Big(level) * Big(level), Big(budget) * Big(budget) * (1 - Big(1e-13)));
      }
    }
    EXPECT_GE(Big(pure.spent().epsilon.value), sum);
    EXPECT_GE(Big(gaussian.spent().mu.value), sqrt(squares) * (1 - Big(1e-40)));
  }
}

TEST(SpentSum, RoundsUpOnlyWhereSomethingIsLost) {
  EXPECT_EQ(detail::sum_rounded_up(0.5, 0.25), 0.75);
  EXPECT_GT(detail::sum_rounded_up(1.0, 1e-300), 1.0);
  EXPECT_EQ(detail::square_rounded_up(0.5), 0.25);
  EXPECT_EQ(detail::square_rounded_down(0.5), 0.25);
  EXPECT_LE(Big(detail::square_rounded_down(0.1)), Big(0.1) * Big(0.1));
  EXPECT_GE(Big(detail::square_rounded_up(0.1)), Big(0.1) * Big(0.1));
  EXPECT_GT(detail::square_rounded_up(1e-200), 0.0);
  EXPECT_EQ(detail::square_rounded_down(1e-200), 0.0);
}

TEST(Odometer, OfPureIsTheRunningSum) {
  PureOdometer odometer;
  EXPECT_EQ(odometer.loss().value.value, 0.0);
  EXPECT_TRUE(odometer.record({Epsilon{0.5}}));
  EXPECT_TRUE(odometer.record({Epsilon{0.25}}));
  EXPECT_EQ(odometer.loss().value.value, 0.75);
  EXPECT_EQ(odometer.record({Epsilon{-0.25}}).error().path, "/epsilon");
  EXPECT_TRUE(odometer.record({Epsilon{1e308}}));
  EXPECT_THAT(odometer.record({Epsilon{1e308}}).error().message, HasSubstr("overflows"));
  EXPECT_GT(odometer.loss().value.value, 1e308) << "rounded up";
  EXPECT_LT(odometer.loss().value.value, kInfinity);
}

TEST(Odometer, OfConcentratedIsItsFormula) {
  const double delta = 1e-5;
  auto odometer = *ConcentratedOdometer::create(Delta{delta}, Rho{0.5});
  EXPECT_EQ(odometer.loss().value.value, 0.0);
  const double log_inverse = std::log(1 / delta);
  const double r = 2 * 0.5 / (2 * log_inverse + std::log(1 + 2 * log_inverse));
  for (int i = 1; i <= 20; ++i) {
    ASSERT_TRUE(i % 2 == 0 ? odometer.record(ZeroConcentratedDp{Rho{0.05}})
                           : odometer.record(GaussianDp{Mu{std::sqrt(0.1)}}));
    const double sum = 0.05 * i;
    EXPECT_NEAR(odometer.sum().value, sum, 1e-13);
    const double expected =
        sum + std::sqrt((2 * sum + r) * (2 * log_inverse + std::log1p(2 * sum / r)));
    EXPECT_NEAR(odometer.loss().value.value, expected, 1e-10);
    // Never below what holds at one time fixed in advance, and not far above it near `expected`.
    const double fixed = sum + 2 * std::sqrt(sum * log_inverse);
    EXPECT_GT(odometer.loss().value.value, fixed);
    if (i >= 7 && i <= 13) {
      EXPECT_LT(odometer.loss().value.value, 1.25 * fixed);
    }
  }
}

TEST(Odometer, RefusesBadInput) {
  for (const double delta : {0.0, 1.0, std::nan("")}) {
    EXPECT_EQ(ConcentratedOdometer::create(Delta{delta}, Rho{1.0}).error().path, "/delta");
  }
  EXPECT_EQ(ConcentratedOdometer::create(Delta{0.1}, Rho{0.0}).error().path, "/expected");
  auto odometer = *ConcentratedOdometer::create(Delta{0.1}, Rho{1.0});
  EXPECT_EQ(odometer.record(GaussianDp{Mu{std::nan("")}}).error().path, "/mu");
  EXPECT_THAT(odometer.record(GaussianDp{Mu{1e200}}).error().message, HasSubstr("overflows"));
  EXPECT_EQ(odometer.sum().value, 0.0);
}

}  // namespace
}  // namespace assay
