#include "assay/mechanisms/numerics/count_law.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Big = boost::multiprecision::cpp_bin_float_50;

TEST(BinomialLaw, SmallOnesAreThoseOfTheTextbook) {
  const auto law = binomial_law(4, 0.25);
  EXPECT_EQ(law.least, 0.0);
  const double expected[] = {81.0 / 256, 108.0 / 256, 54.0 / 256, 12.0 / 256, 1.0 / 256};
  ASSERT_EQ(law.weights.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(law.weights[k], expected[k], 1e-16);
}

TEST(BinomialLaw, WithoutChanceIsOneTerm) {
  EXPECT_EQ(binomial_law(7, 0.0), (CountLaw{0.0, {1.0}}));
  EXPECT_EQ(binomial_law(7, 1.0), (CountLaw{7.0, {1.0}}));
  EXPECT_EQ(binomial_law(0, 0.5), (CountLaw{0.0, {1.0}}));
}

// From the first term up, in 50 digits: the other way round.
TEST(BinomialLaw, WeightsAreAsAccurateAsStatedAtAnyDepth) {
  for (const std::int64_t n : {1, 64, 1000, 4096}) {
    for (const double p : {0.001, 0.3, 0.5, 0.97}) {
      const auto law = binomial_law(n, p);
      Big truth = pow(Big(1) - Big(p), Big(n));
      std::size_t compared = 0;
      const double mode = std::floor(static_cast<double>(n + 1) * p);
      for (std::int64_t k = 0; k <= n; ++k) {
        const double at = static_cast<double>(k) - law.least;
        if (at >= 0.0 && at < static_cast<double>(law.weights.size())) {
          const Big error = law.weights[static_cast<std::size_t>(at)] / truth - 1;
          const double steps = std::fabs(static_cast<double>(k) - mode) + 2.0;
          EXPECT_LT(std::fabs(static_cast<double>(error)), 4e-16 * steps + 1e-15) << n << " " << k;
          ++compared;
        } else {
          EXPECT_LT(truth, 3e-308) << n << " " << p << " " << k;
        }
        truth *= Big(n - k) / Big(k + 1) * Big(p) / (1 - Big(p));
      }
      EXPECT_EQ(compared, law.weights.size());
    }
  }
}

}  // namespace
}  // namespace assay
