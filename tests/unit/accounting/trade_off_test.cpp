// Trade-off curves: conjugates against brute force, the direction of rounding, and what is refused.
#include "assay/mechanisms/accounting/trade_off.hpp"

#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// max(0, 1 - d - e^eps x, e^-eps (1 - d - x)).
double approximate_curve(double eps, double d, double x) {
  return std::max({0.0, 1 - d - std::exp(eps) * x, std::exp(-eps) * (1 - d - x)});
}

TEST(TradeOff, OfApproximateDpIsItsFourLines) {
  for (const double eps : {0.0, 0.3, 1.0, 5.0, 30.0}) {
    for (const double d : {0.0, 1e-6, 0.1}) {
      const auto curve = *trade_off_of(ApproximateDp{Epsilon{eps}, Delta{d}});
      for (double x = 0.0; x <= 1.0; x += 1.0 / 64) {
        const double exact = approximate_curve(eps, d, x);
        EXPECT_LE(curve.value.lower_at(x), exact + 4e-16) << eps << " " << d << " " << x;
        EXPECT_NEAR(curve.value.lower_at(x), exact, 1e-14) << eps << " " << d << " " << x;
      }
    }
  }
}

TEST(TradeOff, OfSeveralLevelsIsTheHighestOfTheirCurves) {
  const std::vector<ApproximateDp> levels = {{Epsilon{0.0}, Delta{0.3}},
                                             {Epsilon{2.0}, Delta{1e-3}},
                                             {Epsilon{0.7}, Delta{0.05}},
                                             {Epsilon{0.8}, Delta{0.2}},  // says nothing new
                                             {Epsilon{4.0}, Delta{0.0}}};
  const auto curve = *trade_off_from_profile(levels);
  for (double x = 0.0; x <= 1.0; x += 1.0 / 512) {
    double exact = 0.0;
    for (const auto& level : levels) {
      exact = std::max(exact, approximate_curve(level.epsilon.value, level.delta.value, x));
    }
    EXPECT_NEAR(curve.value.lower_at(x), exact, 1e-14) << x;
  }
  // And its conjugate is the profile that the levels span.
  for (const auto& level : levels) {
    EXPECT_LE(trade_off_delta(curve, level.epsilon).value.value, level.delta.value + 1e-14);
  }
  EXPECT_NEAR(trade_off_delta(curve, Epsilon{2.0}).value.value, 1e-3, 1e-14);
}

TEST(TradeOff, IsSymmetricForAGuarantee) {
  const std::vector<ApproximateDp> levels = {{Epsilon{0.2}, Delta{0.2}},
                                             {Epsilon{1.0}, Delta{0.01}}};
  const auto curve = *trade_off_from_profile(levels);
  const TradeOff inverse = curve.value.inverse();
  for (double x = 0.0; x <= 1.0; x += 1.0 / 128) {
    EXPECT_NEAR(inverse.lower_at(x), curve.value.lower_at(x), 1e-14);
  }
}

TEST(TradeOff, OfAFineGaussianProfileApproachesItsCurveFromBelow) {
  const Mu mu{1.3};
  std::vector<ApproximateDp> levels;
  for (double eps = 0.0; eps < 12.0; eps += 0.01) {
    levels.push_back(approximate_at_epsilon(GaussianDp{mu}, Epsilon{eps}));
  }
  const auto curve = *trade_off_from_profile(levels);
  for (double x = 1e-4; x < 1.0; x += 1.0 / 256) {
    const double exact = gdp_trade_off(mu, x);
    EXPECT_LE(curve.value.lower_at(x), exact + 1e-14) << x;
    EXPECT_GE(curve.value.lower_at(x), exact - 1e-5) << x;
  }
  for (const double eps : {0.0, 0.5, 3.0, 8.0}) {
    const double exact = gdp_delta(mu, Epsilon{eps}).value;
    EXPECT_GE(trade_off_delta(curve, Epsilon{eps}).value.value, exact);
    EXPECT_NEAR(trade_off_delta(curve, Epsilon{eps}).value.value, exact, 1e-12);
  }
}

TEST(TradeOff, DirectionsEncloseTheConjugate) {
  const std::vector<TradeOffVertex> points = {{0.1, 0.55}, {0.3, 0.2}};
  const TradeOff curve = *TradeOff::create(points);
  for (const double eps : {0.0, 0.4, 1.0, 3.0}) {
    double exact = 0.0;
    for (const auto& p : curve.vertices()) {
      exact = std::max(exact, 1 - p.type_two - std::exp(eps) * p.type_one);
    }
    const double upper = trade_off_delta(LowerBound<TradeOff>{curve}, Epsilon{eps}).value.value;
    const double lower = trade_off_delta(UpperBound<TradeOff>{curve}, Epsilon{eps}).value.value;
    EXPECT_LE(lower, upper);
    EXPECT_NEAR(lower, exact, 1e-15);
    EXPECT_NEAR(upper, exact, 1e-15);
  }
}

TEST(TradeOff, FromTestsIsTheHullOfThem) {
  const std::vector<TradeOffVertex> tests = {{0.5, 0.4}, {0.2, 0.3}, {0.21, 0.6}};
  const auto curve = *trade_off_from_tests(tests);
  const std::vector<TradeOffVertex> hull = {{0.0, 1.0}, {0.2, 0.3}, {1.0, 0.0}};
  EXPECT_TRUE(std::equal(hull.begin(), hull.end(), curve.value.vertices().begin(),
                         curve.value.vertices().end()));
}

TEST(TradeOff, MuOfPureIsTheConversionOfPure) {
  for (const double eps : {1e-3, 0.1, 1.0, 10.0}) {
    const double mu = trade_off_mu(*trade_off_of(PureDp{Epsilon{eps}}))->value.value;
    const double exact = to_gaussian(PureDp{Epsilon{eps}})->mu.value;
    EXPECT_GE(mu, exact * (1 - 3e-13));
    EXPECT_NEAR(mu, exact, 1e-11 * (1 + exact));
  }
}

TEST(TradeOff, MuOfTestsOfAGaussianIsBelowItsMu) {
  const Mu mu{0.8};
  std::vector<TradeOffVertex> tests;
  for (double x = 0.05; x < 1.0; x += 0.05) tests.push_back({x, gdp_trade_off(mu, x)});
  const double found = trade_off_mu(*trade_off_from_tests(tests))->value.value;
  EXPECT_LE(found, mu.value);
  EXPECT_NEAR(found, mu.value, 1e-10);
}

TEST(TradeOff, RefusesBadInput) {
  const auto message = [](const std::vector<TradeOffVertex>& vertices) {
    return error_of(TradeOff::create(vertices)).message;
  };
  EXPECT_THAT(message({{0.5, std::nan("")}}), HasSubstr("vertices/0/type_two must be in [0, 1]"));
  EXPECT_THAT(message({{0.5, 0.6}}), HasSubstr("add up to at most 1"));
  EXPECT_THAT(message({{0.2, 0.3}, {0.2, 0.2}}), HasSubstr("larger type I error"));
  EXPECT_THAT(message({{0.2, 0.3}, {0.3, 0.4}}), HasSubstr("larger type II error"));
  EXPECT_THAT(message({{0.2, 0.5}, {0.5, 0.45}, {0.8, 0.0}}), HasSubstr("above the chord"));
  EXPECT_THAT(message({{0.0, 0.5}, {1.0, 0.1}}), HasSubstr("add up to at most 1"));
  EXPECT_TRUE(TradeOff::create({}));
  EXPECT_EQ(TradeOff::create({})->vertices().size(), 2u);

  const std::vector<ApproximateDp> bad = {{Epsilon{1.0}, {}}, {Epsilon{701.0}, {}}};
  EXPECT_THAT(trade_off_from_profile(bad).error().message,
              HasSubstr("levels/1/epsilon must be in [0, 700], not 701"));
  EXPECT_EQ(trade_off_from_profile({}).error().path, "/levels");
  EXPECT_EQ(trade_off_of(ApproximateDp{Epsilon{1.0}, Delta{1.5}}).error().path, "/levels/0/delta");
  // delta = 1 says nothing: the curve is 0.
  EXPECT_EQ(trade_off_of(ApproximateDp{Epsilon{1.0}, Delta{1.0}})->value.lower_at(0.0), 0.0);
  EXPECT_EQ(trade_off_from_tests({}).error().path, "/tests");
  EXPECT_THAT(trade_off_mu(*trade_off_of(ApproximateDp{Epsilon{1.0}, Delta{0.1}})).error().message,
              HasSubstr("no finite mu allows"));
}

}  // namespace
}  // namespace assay
