#include "assay/auditors/statistics/binomial.hpp"

#include <boost/math/distributions/binomial.hpp>

#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Boost's long double: its own error is 1e-15 or so at these sizes.
using BinomialOracle = boost::math::binomial_distribution<long double>;

struct BinomialPoint {
  std::int64_t k, n;
  double p;
};

const BinomialPoint kPoints[] = {{0, 1, 0.3},
                                 {1, 1, 0.3},
                                 {0, 50, 0.01},
                                 {7, 50, 0.2},
                                 {49, 50, 0.2},
                                 {50, 50, 0.2},
                                 {16, 33, 0.5},
                                 {900, 1000, 0.87},
                                 {3, 10000, 1e-4},
                                 {30, 10000, 1e-4},
                                 {3100, 10000, 0.3},
                                 {2900, 10000, 0.3},
                                 {501000, 1000000, .5},
                                 {12, 1000000, 1e-5},
                                 {300500, 1000000, 0.3},
                                 {297500, 1000000, .3},
                                 {999990, 1000000, .99999}};

TEST(Binomial, PmfAndBothTailsAreThoseOfBoost) {
  for (const auto& point : kPoints) {
    const BinomialOracle distribution(static_cast<long double>(point.n),
                                      static_cast<long double>(point.p));
    const auto k = static_cast<long double>(point.k);
    const auto message = std::to_string(point.k) + " of " + std::to_string(point.n);
    EXPECT_NEAR(binomial_log_pmf(point.k, point.n, point.p),
                static_cast<double>(std::log(boost::math::pdf(distribution, k))), 1e-10)
        << message;
    EXPECT_NEAR(binomial_log_cdf(point.k, point.n, point.p),
                static_cast<double>(std::log(boost::math::cdf(distribution, k))), 1e-10)
        << message;
    if (point.k > 0) {
      EXPECT_NEAR(binomial_log_at_least(point.k, point.n, point.p),
                  static_cast<double>(std::log(cdf(complement(distribution, k - 1.0L)))), 1e-10)
          << message;
    }
  }
}

TEST(Binomial, EdgesOfTheDistributionAreExact) {
  EXPECT_EQ(binomial_log_pmf(0, 9, 0.0), 0.0);
  EXPECT_EQ(binomial_log_pmf(9, 9, 1.0), 0.0);
  EXPECT_EQ(binomial_log_pmf(1, 9, 0.0), -INFINITY);
  EXPECT_EQ(binomial_log_cdf(9, 9, 0.4), 0.0);
  EXPECT_EQ(binomial_log_cdf(-1, 9, 0.4), -INFINITY);
  EXPECT_EQ(binomial_log_at_least(0, 9, 0.4), 0.0);
  EXPECT_EQ(binomial_log_at_least(10, 9, 0.4), -INFINITY);
}

TEST(ClopperPearson, LimitsLieOutsideThoseOfBoostByLessThanABillionth) {
  for (const auto& point : kPoints) {
    for (const double alpha : {0.4, 0.05, 1e-3, 1e-8}) {
      const double lower = clopper_pearson_lower(point.k, point.n, alpha).value.value;
      const double upper = clopper_pearson_upper(point.k, point.n, alpha).value.value;
      const auto n = static_cast<long double>(point.n), k = static_cast<long double>(point.k);
      const auto a = static_cast<long double>(alpha);
      const double exact_lower =
          point.k == 0 ? 0.0 : static_cast<double>(BinomialOracle::find_lower_bound_on_p(n, k, a));
      const double exact_upper =
          point.k == point.n ? 1.0
                             : static_cast<double>(BinomialOracle::find_upper_bound_on_p(n, k, a));
      EXPECT_LE(lower, exact_lower);
      EXPECT_GE(upper, exact_upper);
      EXPECT_NEAR(lower, exact_lower, 1e-8 * exact_lower) << point.k << " " << alpha;
      EXPECT_NEAR(upper, exact_upper, 1e-8 * exact_upper) << point.k << " " << alpha;
    }
  }
}

}  // namespace
}  // namespace assay
