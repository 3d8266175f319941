// The normal law against MPFR's erfc (and the divergent series beyond 16) in 50-digit arithmetic.
#include "assay/mechanisms/numerics/normal.hpp"

#include <random>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/mpfr_oracle.hpp"

namespace assay {
namespace {

using oracle::Real;

// The header promises 1e-13; what is reached is held here.
constexpr double kLimit = 2e-15;

class Points {
 public:
  explicit Points(std::uint64_t seed) : words_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(words_() >> 11) * 0x1p-53);
  }
  double power(double low, double high) { return std::exp2(uniform(low, high)); }

 private:
  std::mt19937_64 words_;
};

void expect_close_to(int count, const std::function<double()>& draw,
                     const std::function<double(double)>& function,
                     const std::function<Real(double)>& exact, double limit = kLimit) {
  double worst = 0.0;
  double worst_at = 0.0;
  for (int i = 0; i < count; ++i) {
    const double x = draw();
    const double error = oracle::relative_error(function(x), exact(x));
    if (!(error <= worst)) {
      worst = error;
      worst_at = x;
    }
  }
  EXPECT_LE(worst, limit) << "at " << std::hexfloat << worst_at;
}

Real exact_hazard(double x) {
  return oracle::normal_density(Real(x)) / oracle::normal_tail(Real(x));
}

TEST(Normal, TheOracleAgreesWithItselfWhereItsTwoFormulasMeet) {
  const Real x = 16;
  const Real by_erfc = oracle::erfc(Real(x / sqrt(Real(2))));
  const Real by_series = oracle::asymptotic_mills_ratio(x) * oracle::normal_density(x);
  EXPECT_LE(abs(by_erfc / 2 / by_series - 1), 1e-45);
}

TEST(Normal, CdfAndTailAreAccurateWhereverTheyAreNormalNumbers) {
  Points points(1);
  const auto exact = [](double x) { return oracle::normal_tail(Real(x)); };
  const auto mirrored = [](double x) { return oracle::normal_tail(-Real(x)); };
  expect_close_to(
      6'000, [&] { return points.uniform(-10, 37.5); }, normal_ccdf, exact);
  expect_close_to(
      6'000, [&] { return points.uniform(-37.5, 10); }, normal_cdf, mirrored);
  expect_close_to(
      2'000, [&] { return points.power(-1074, 5); }, normal_ccdf, exact);
  expect_close_to(
      2'000, [&] { return -points.power(-1074, 5); }, normal_ccdf, exact);
}

TEST(Normal, SubnormalTailsAreWithinTwoUnitsOfTheLastPlace) {
  Points points(2);
  for (int i = 0; i < 2'000; ++i) {
    const double x = points.uniform(37.5, 38.6);
    const Real exact = oracle::normal_tail(Real(x));
    const double limit = exact < Real(0x1p-1022) ? 2.0 : 8.0;
    EXPECT_LE(oracle::ulp_error(normal_ccdf(x), exact), limit) << x;
  }
}

TEST(Normal, LogTailsAreAccurateOverAllFiniteDoubles) {
  Points points(3);
  const auto exact = [](double x) { return oracle::normal_log_tail(Real(x)); };
  const auto mirrored = [](double x) { return oracle::normal_log_tail(-Real(x)); };
  expect_close_to(
      6'000, [&] { return points.uniform(-37, 45); }, normal_log_ccdf, exact);
  expect_close_to(
      6'000, [&] { return points.uniform(-45, 37); }, normal_log_cdf, mirrored);
  // log Phi(-x) is finite until x^2/2 overflows, near 1.89e154.
  expect_close_to(
      4'000, [&] { return points.power(-1074, 512); }, normal_log_ccdf, exact);
  expect_close_to(
      2'000, [&] { return -points.power(-1074, 5); }, normal_log_ccdf, exact);
  expect_close_to(
      2'000, [&] { return -points.power(-10, 512); }, normal_log_cdf, mirrored);
}

TEST(Normal, LogTailsBeyondTheRangeOfDoublesAreMinusInfinityAndZero) {
  EXPECT_EQ(normal_log_ccdf(1e200), -kInfinity);
  EXPECT_EQ(normal_log_cdf(-oracle::kMax), -kInfinity);
  EXPECT_EQ(normal_log_ccdf(kInfinity), -kInfinity);
  EXPECT_EQ(normal_log_ccdf(-oracle::kMax), 0.0);
  EXPECT_EQ(normal_log_cdf(kInfinity), 0.0);
  EXPECT_LT(normal_log_cdf(38.0), 0.0);  // -Q(38), still a positive tail
}

TEST(Normal, LogDensityAndHazardAreAccurate) {
  Points points(4);
  const auto log_density = [](double x) {
    return -Real(x) * x / 2 - log(2 * boost::math::constants::pi<Real>()) / 2;
  };
  expect_close_to(
      2'000, [&] { return points.uniform(-50, 50); }, normal_log_pdf, log_density);
  expect_close_to(
      2'000, [&] { return points.power(-1074, 512); }, normal_log_pdf, log_density);
  expect_close_to(
      4'000, [&] { return points.uniform(-37, 60); }, normal_hazard, exact_hazard);
  for (const double x : {1e8, 1e9, 1.0000001e9, 1e100, oracle::kMax}) {
    const Real exact = 1 / oracle::asymptotic_mills_ratio(Real(x));
    EXPECT_LE(oracle::relative_error(normal_hazard(x), exact), kLimit) << x;
  }
}

// The quantile of the oracle: Newton steps on log Q in 50-digit arithmetic from the value under
// test, so that the result no longer depends on it. x with log Q(x) = log_q, or the mirror image.
Real exact_tail_quantile(const Real& log_q, double start) {
  Real x = start;
  for (int i = 0; i < 5; ++i) {
    const Real mills = x > 16 ? oracle::asymptotic_mills_ratio(x)
                              : oracle::normal_tail(x) / oracle::normal_density(x);
    x += (oracle::normal_log_tail(x) - log_q) * mills;
  }
  return x;
}

Real exact_ccdf_quantile(double q, double start) {
  if (q <= 0.5) return exact_tail_quantile(log(Real(q)), start);
  return -exact_tail_quantile(log1p(-Real(q)), -start);
}

TEST(Normal, QuantilesAreAccurate) {
  Points points(5);
  const auto check = [](double q) {
    const double x = normal_ccdf_quantile(q);
    EXPECT_LE(oracle::relative_error(x, exact_ccdf_quantile(q, x)), kLimit) << q;
    EXPECT_EQ(normal_quantile(q), -x);
  };
  for (int i = 0; i < 600; ++i) {
    check(points.power(-1074, -1));
    check(points.uniform(0.2, 0.8));
    check(1.0 - points.power(-53, -1));
    check(0.5 + points.power(-53, -2) * (i % 2 == 0 ? 1.0 : -1.0));
  }
  for (const double q : {oracle::kTiny, 0x1p-1022, 0.25, std::nextafter(0.25, 0.0), 0.75,
                         std::nextafter(0.75, 1.0), std::nextafter(1.0, 0.0)}) {
    check(q);
  }
}

TEST(Normal, QuantilesFromLogAreAccurateAtAnyDepthAndCloseToZero) {
  Points points(6);
  const auto check = [](double lp) {
    const double x = normal_quantile_from_log(lp);
    const Real exact = lp > -0.7 ? exact_tail_quantile(log(-expm1(Real(lp))), x)
                                 : -exact_tail_quantile(Real(lp), -x);
    EXPECT_LE(oracle::relative_error(x, exact), kLimit) << lp;
  };
  for (int i = 0; i < 600; ++i) {
    check(-points.power(-1074, 0));
    check(-points.power(-4, 12));
    check(-points.power(12, 1000));
    check(-0.69314718055994531 - points.uniform(-1e-3, 1e-3));
  }
  for (const double lp :
       {-oracle::kTiny, -1e-300, -1e-20, -1.3862943611198906, -0.28768207245178090,
        -0.69314718055994529, -1e19, -1e20, -1.1e20, -1e300, -1.7e308}) {
    check(lp);
  }
}

TEST(Normal, EndsOfTheRangeAndOutOfRangeArguments) {
  EXPECT_EQ(normal_cdf(-kInfinity), 0.0);
  EXPECT_EQ(normal_cdf(kInfinity), 1.0);
  EXPECT_EQ(normal_ccdf(1e300), 0.0);
  EXPECT_EQ(normal_cdf(0.0), 0.5);
  EXPECT_EQ(normal_quantile(0.0), -kInfinity);
  EXPECT_EQ(normal_quantile(1.0), kInfinity);
  EXPECT_EQ(normal_quantile(0.5), 0.0);
  EXPECT_EQ(normal_ccdf_quantile(0.0), kInfinity);
  EXPECT_EQ(normal_quantile_from_log(-kInfinity), -kInfinity);
  EXPECT_EQ(normal_quantile_from_log(0.0), kInfinity);
  EXPECT_EQ(normal_quantile_from_log(-0.0), kInfinity);
  EXPECT_EQ(normal_hazard(-oracle::kMax), 0.0);
  for (const double x : {kNaN, -0.1, 1.1, kInfinity, -kInfinity}) {
    EXPECT_TRUE(std::isnan(normal_quantile(x)));
    EXPECT_TRUE(std::isnan(normal_ccdf_quantile(x)));
  }
  EXPECT_TRUE(std::isnan(normal_quantile_from_log(oracle::kTiny)));
  for (const auto function : {normal_log_pdf, normal_cdf, normal_ccdf, normal_log_cdf,
                              normal_log_ccdf, normal_hazard, normal_quantile_from_log}) {
    EXPECT_TRUE(std::isnan(function(kNaN)));
  }
}

TEST(Normal, LogCdfIncreasesUntilItsTailIsSubnormal) {
  double previous = -kInfinity;
  for (double x = -45.0; x < 37.5; x += 0x1p-8) {
    const double value = normal_log_cdf(x);
    EXPECT_GT(value, previous) << x;
    previous = value;
  }
}

}  // namespace
}  // namespace assay
