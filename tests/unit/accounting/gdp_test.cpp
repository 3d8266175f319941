// The profile of mu-GDP against 100-digit arithmetic, its inverses, and the paper's own numbers.
#include "assay/mechanisms/accounting/gdp.hpp"

#include <random>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/tests/support/mpfr_oracle.hpp"
#include "assay/tests/support/repetitions.hpp"

namespace assay {
namespace {

using Big100 = oracle::Digits<100>;

Big100 upper_tail(const Big100& x) { return oracle::erfc(Big100(x / sqrt(Big100(2)))) / 2; }

// Equation (1) of the header as it stands: 100 digits outlive its cancellation.
Big100 exact_delta(double mu, double eps) {
  const Big100 t = Big100(eps) / Big100(mu);
  const Big100 h = Big100(mu) / 2;
  return upper_tail(t - h) - exp(Big100(eps)) * upper_tail(t + h);
}

Big100 exact_log_delta(double mu, double eps) {
  const Big100 delta = exact_delta(mu, eps);
  if (delta < 0.5) return log(delta);
  const Big100 t = Big100(eps) / Big100(mu);
  const Big100 h = Big100(mu) / 2;
  return log1p(Big100(-(upper_tail(h - t) + exp(Big100(eps)) * upper_tail(t + h))));
}

double relative_error(double computed, const Big100& exact) {
  return std::fabs(static_cast<double>((Big100(computed) - exact) / exact));
}

struct GdpPoint {
  double mu;
  double eps;
};

// Random points of one kind: mu log-uniform in [1e-3, 1e3], and eps = mu (mu/2 + a), so that delta
// is about Phi(-a).
std::vector<GdpPoint> points_at_thresholds(double lowest_a, double highest_a, int count) {
  std::mt19937_64 generator(20220101);
  const auto uniform = [&] { return std::ldexp(static_cast<double>(generator() >> 11), -53); };
  std::vector<GdpPoint> points;
  while (static_cast<int>(points.size()) < count) {
    const double mu = std::exp(std::log(1e-3) + uniform() * std::log(1e6));
    const double eps = mu * (0.5 * mu + lowest_a + uniform() * (highest_a - lowest_a));
    if (eps >= 0.0) points.push_back({mu, eps});
  }
  return points;
}

void expect_accurate_deltas(const std::vector<GdpPoint>& points) {
  double worst_log = 0.0;
  double worst = 0.0;
  for (const auto& [mu, eps] : points) {
    const Big100 log_delta = exact_log_delta(mu, eps);
    const double computed = gdp_log_delta(Mu{mu}, Epsilon{eps});
    ASSERT_LE(relative_error(computed, log_delta), kGdpRelativeError) << mu << " " << eps;
    worst_log = std::max(worst_log, relative_error(computed, log_delta));
    const double delta = gdp_delta(Mu{mu}, Epsilon{eps}).value;
    if (delta < std::numeric_limits<double>::min()) continue;
    const Big100 exact = exact_delta(mu, eps);
    ASSERT_LE(relative_error(delta, exact), kGdpRelativeError) << mu << " " << eps;
    worst = std::max(worst, relative_error(delta, exact));
  }
  ::testing::Test::RecordProperty("worst_log_error", std::to_string(worst_log * 1e15) + "e-15");
  ::testing::Test::RecordProperty("worst_error", std::to_string(worst * 1e15) + "e-15");
}

TEST(GdpProfile, IsAccurateWhereDeltaIsNearOne) {
  expect_accurate_deltas(points_at_thresholds(-30.0, -1.0, repetitions(150)));
}

TEST(GdpProfile, IsAccurateAroundTheMiddle) {
  expect_accurate_deltas(points_at_thresholds(-1.0, 3.0, repetitions(250)));
}

TEST(GdpProfile, IsAccurateDownToTheSmallestDoubles) {
  expect_accurate_deltas(points_at_thresholds(3.0, 37.0, repetitions(250)));
}

TEST(GdpProfile, IsAccurateDownToDeltaOfExpMinusAMillion) {
  expect_accurate_deltas(points_at_thresholds(37.0, 1414.0, repetitions(100)));
}

TEST(GdpProfile, IsAccurateAtEpsilonZeroAndTinyEpsilon) {
  std::vector<GdpPoint> points;
  for (double mu = 1e-3; mu < 50.0; mu *= kSanitized ? 3.0 : 1.07) {
    points.push_back({mu, 0.0});
    points.push_back({mu, 1e-9});
  }
  expect_accurate_deltas(points);
}

TEST(GdpProfile, IsAccurateOnBothSidesOfEveryChangeOfFormula) {
  std::vector<GdpPoint> points;
  for (const double nudge : {1.0 - 1e-12, 1.0, 1.0 + 1e-12}) {
    points.push_back({nudge, 0.3});                 // h = 1/2
    points.push_back({nudge, 1.0});                 // and the Taylor start at t = 1
    points.push_back({0.01, 0.01 * nudge});         // t = 1
    points.push_back({2.0, 2.0 * nudge});           // a = 0
    points.push_back({30.0, 450.0 * nudge});        // a = 0
    points.push_back({30.0, 30.0 * 60.0 * nudge});  // h = t/4
  }
  expect_accurate_deltas(points);
}

// log delta = -a^2/2 + log(mu/(sqrt(2 pi) a b)) (1 + O(1/a^2)), which needs no erfc.
TEST(GdpProfile, IsAccurateAtExtremeArguments) {
  for (const GdpPoint& point : std::vector<GdpPoint>{{1e-3, 1e6},
                                                     {1.0, 1e12},
                                                     {1e-200, 1e-60},
                                                     {1e-300, 1e-250},
                                                     {1e-3, 1e140},
                                                     {1e3, 1e9},
                                                     {1e100, 1e240}}) {
    const Big100 t = Big100(point.eps) / Big100(point.mu);
    const Big100 h = Big100(point.mu) / 2;
    const Big100 a = t - h;
    const Big100 pi = boost::math::constants::pi<Big100>();
    const Big100 expected = -a * a / 2 + log(Big100(point.mu) / (sqrt(2 * pi) * a * (t + h)));
    const double computed = gdp_log_delta(Mu{point.mu}, Epsilon{point.eps});
    EXPECT_LE(relative_error(computed, expected), kGdpRelativeError)
        << point.mu << " " << point.eps;
  }
}

TEST(GdpProfile, HasTheLimitsOfItsDefinition) {
  EXPECT_EQ(gdp_log_delta(Mu{0.0}, Epsilon{0.0}), -kInfinity);
  EXPECT_EQ(gdp_log_delta(Mu{1.0}, Epsilon{kInfinity}), -kInfinity);
  EXPECT_EQ(gdp_log_delta(Mu{kInfinity}, Epsilon{1.0}), 0.0);
  EXPECT_LT(gdp_log_delta(Mu{1000.0}, Epsilon{0.0}), 0.0) << "no finite mu loses everything";
  EXPECT_GT(gdp_log_delta(Mu{1e-9}, Epsilon{1e300}), -kInfinity) << "no finite eps loses nothing";
  EXPECT_EQ(gdp_delta(Mu{0.0}, Epsilon{0.0}).value, 0.0);
  EXPECT_EQ(gdp_delta(Mu{1.0}, Epsilon{1e9}).value, 0.0);
  EXPECT_EQ(gdp_delta(Mu{1000.0}, Epsilon{0.0}).value, 1.0);
}

TEST(GdpEpsilon, ReproducesThePublishedValuesAtDeltaOneInAMillion) {
  // Ou, Avella Medina, Cummings, "Thompson sampling itself is differentially private", Figure 8:
  // 4.88, 35.57 and 96.71, whose last digit is sometimes cut and sometimes rounded. The digits
  // beyond are a root of equation (1) found with mpmath at 40 digits.
  EXPECT_NEAR(gdp_epsilon(Mu{1.0}, Delta{1e-6}).value, 4.886554117462212, 1e-13);
  EXPECT_NEAR(gdp_epsilon(Mu{5.0}, Delta{1e-6}).value, 35.566343714136217, 1e-12);
  EXPECT_NEAR(gdp_epsilon(Mu{10.0}, Delta{1e-6}).value, 96.717271963867699, 1e-12);
}

const std::vector<double> kMus = {1e-3, 0.05, 0.7, 1.0, 7.0710678118654755, 30.0, 316.0, 1e3};
const std::vector<double> kLogDeltas = {-0.01, -0.5, -2.0, -13.815510557964274, -200.0, -1e4, -1e6};

TEST(GdpEpsilon, IsWhereTheComputedProfileCrossesTheTarget) {
  for (const double mu : kMus) {
    for (const double log_delta : kLogDeltas) {
      const double eps = gdp_epsilon(Mu{mu}, log_delta).value;
      EXPECT_LE(gdp_log_delta(Mu{mu}, Epsilon{eps}), log_delta);
      if (eps == 0.0) continue;
      const double before = std::nextafter(eps, 0.0);
      EXPECT_GT(gdp_log_delta(Mu{mu}, Epsilon{before}), log_delta);
    }
  }
}

TEST(GdpEpsilon, DirectedVersionsEncloseTheTruth) {
  for (const double mu : kMus) {
    for (const double log_delta : kLogDeltas) {
      const double upper = gdp_epsilon_upper(Mu{mu}, log_delta).value.value;
      EXPECT_LE(exact_log_delta(mu, upper), log_delta) << mu << " " << log_delta;
      const double lower = gdp_epsilon_lower(Mu{mu}, log_delta).value.value;
      EXPECT_LE(lower, upper);
      if (lower == 0.0) continue;
      EXPECT_GE(exact_log_delta(mu, lower), log_delta) << mu << " " << log_delta;
      EXPECT_LE(upper - lower, 1e-11 * upper) << mu << " " << log_delta;
    }
  }
}

TEST(GdpEpsilon, IsZeroForAGenerousDeltaAndInfiniteForNone) {
  EXPECT_EQ(gdp_epsilon(Mu{0.1}, Delta{0.5}).value, 0.0);
  EXPECT_EQ(gdp_epsilon(Mu{0.1}, Delta{1.0}).value, 0.0);
  EXPECT_EQ(gdp_epsilon(Mu{0.1}, Delta{0.0}).value, kInfinity);
  EXPECT_EQ(gdp_epsilon(Mu{0.0}, Delta{0.0}).value, 0.0);
}

TEST(GdpMu, DirectedVersionsEncloseTheTruth) {
  for (const double eps : {0.0, 1e-3, 0.5, 4.0, 100.0, 1e4, 1e6}) {
    for (const double log_delta : kLogDeltas) {
      const double lower = gdp_mu_lower(Epsilon{eps}, log_delta).value.value;
      const double upper = gdp_mu_upper(Epsilon{eps}, log_delta).value.value;
      const double mu = gdp_mu(Epsilon{eps}, log_delta).value;
      EXPECT_LE(lower, mu);
      EXPECT_LE(mu, upper);
      // At eps = 0 a log delta of -1e4 is a mu that no double holds: delta = mu/sqrt(2 pi).
      if (upper < 1e-300) continue;
      EXPECT_LE(exact_log_delta(lower, eps), log_delta) << eps << " " << log_delta;
      EXPECT_GE(exact_log_delta(upper, eps), log_delta) << eps << " " << log_delta;
      EXPECT_LE(upper - lower, 1e-11 * upper) << eps << " " << log_delta;
    }
  }
}

TEST(GdpMu, InvertsTheProfile) {
  for (const double mu : kMus) {
    for (const double a : {-0.5, 0.0, 2.0, 6.0}) {
      const double eps = mu * (0.5 * mu + a);
      if (eps < 0.0) continue;
      const double log_delta = gdp_log_delta(Mu{mu}, Epsilon{eps});
      EXPECT_NEAR(gdp_mu(Epsilon{eps}, log_delta).value / mu, 1.0, 1e-13) << mu << " " << a;
    }
  }
}

TEST(GdpMu, IsZeroForNoDeltaAndInfiniteForAllOfIt) {
  EXPECT_EQ(gdp_mu(Epsilon{1.0}, Delta{0.0}).value, 0.0);
  EXPECT_EQ(gdp_mu(Epsilon{1.0}, Delta{1.0}).value, kInfinity);
}

TEST(GdpTradeOff, IsTheErrorOfTheLikelihoodRatioTest) {
  for (const double mu : {0.0, 0.3, 1.0, 4.0}) {
    for (const double cut : {-3.0, 0.0, 0.5, 2.5}) {  // reject N(0, 1) above the cut
      const double type_one = normal_ccdf(cut);
      const double type_two = normal_cdf(cut - mu);
      EXPECT_NEAR(gdp_trade_off(Mu{mu}, type_one) / type_two, 1.0, 1e-12);
    }
  }
  EXPECT_EQ(gdp_trade_off(Mu{1.0}, 0.0), 1.0);
  EXPECT_EQ(gdp_trade_off(Mu{1.0}, 1.0), 0.0);
}

TEST(GdpEvent, ForcesTheMuOfTwoGaussiansAtAnyDepth) {
  for (const double mu : {0.25, 1.0, 7.0}) {
    for (const double cut : {-50.0, -3.0, 0.0, 2.0, 12.0, 60.0}) {
      const double log_p = normal_log_ccdf(cut - mu);
      const double log_q = normal_log_ccdf(cut);
      if (log_p > -1e-290) continue;  // certain events say nothing in doubles
      const double error = 1e-12 * (1.0 + std::fabs(cut) + mu);
      EXPECT_NEAR(mu_from_event(log_p, log_q).value, mu, error) << cut;
      EXPECT_NEAR(mu_from_event(log_q, log_p).value, mu, error) << "the sides exchanged";
      EXPECT_LT(mu_from_event_lower(log_p, log_q).value.value, mu);
      EXPECT_NEAR(mu_from_event_lower(log_p, log_q).value.value, mu, error);
    }
  }
}

TEST(GdpEvent, IsInfiniteWhenOneSideNeverProducesIt) {
  EXPECT_EQ(mu_from_event(-5.0, -kInfinity).value, kInfinity);
  EXPECT_EQ(mu_from_event_lower(-5.0, -kInfinity).value.value, kInfinity);
  EXPECT_EQ(mu_from_event(-0.1, 0.0).value, kInfinity);
  EXPECT_EQ(mu_from_event(-kInfinity, -kInfinity).value, 0.0);
  EXPECT_EQ(mu_from_event(0.0, 0.0).value, 0.0);
}

TEST(GdpComposition, IsTheRootOfTheSumOfSquares) {
  EXPECT_DOUBLE_EQ(compose_gdp(std::vector<Mu>{Mu{3.0}, Mu{4.0}}).value, 5.0);
  EXPECT_EQ(compose_gdp(std::vector<Mu>{}).value, 0.0);
  EXPECT_EQ(compose_gdp(std::vector<Mu>{Mu{0.0}, Mu{0.0}}).value, 0.0);
  EXPECT_EQ(compose_gdp(std::vector<Mu>{Mu{1.0}, Mu{kInfinity}}).value, kInfinity);
  EXPECT_DOUBLE_EQ(compose_gdp(std::vector<Mu>{Mu{3e-200}, Mu{4e-200}}).value, 5e-200);
  EXPECT_DOUBLE_EQ(compose_gdp(std::vector<Mu>{Mu{3e200}, Mu{4e200}}).value, 5e200);
}

TEST(GdpComposition, LosesNothingOverAMillionRounds) {
  const std::vector<Mu> rounds(1'000'000, Mu{0.1});
  EXPECT_NEAR(compose_gdp(rounds).value, 100.0, 1e-13);
}

}  // namespace
}  // namespace assay
