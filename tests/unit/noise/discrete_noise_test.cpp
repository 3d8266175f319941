// Discrete Laplace and Gaussian noise, exact uniform integers and composite quadrature against
// sums, closed forms and their errors.
#include "assay/mechanisms/noise/discrete_gaussian.hpp"
#include "assay/mechanisms/noise/discrete_laplace.hpp"
#include "assay/mechanisms/numerics/gauss_legendre.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/random/uniform_below.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

TEST(DiscreteLaplace, ProbabilitiesSumToTheirTails) {
  for (const double scale : {0.01, 0.7, 5.0, 60.0}) {
    const auto noise = DiscreteLaplace::create(scale).value();
    const auto reach = static_cast<std::int64_t>(45.0 * scale) + 3;
    double sum = 0.0;
    for (std::int64_t k = reach; k >= -reach; --k) {
      sum += std::exp(noise.log_pmf(k));
      if (k > -20 && k < 20) {
        EXPECT_NEAR(noise.ccdf(k), sum, 1e-13) << scale << " " << k;
      }
    }
    EXPECT_NEAR(sum, 1.0, 1e-13);
    EXPECT_NEAR(noise.cdf(-1) + noise.ccdf(0), 1.0, 1e-15);
  }
}

TEST(DiscreteLaplace, WordsMapMonotonicallyOntoTheQuantiles) {
  const auto noise = DiscreteLaplace::create(3.0).value();
  EXPECT_EQ(noise.from_word(0x8000000000000000u), 0);
  EXPECT_EQ(noise.from_word(0x7fffffffffffffffu), 0);
  std::int64_t last = noise.from_word(0);
  EXPECT_LT(last, -120);
  for (std::uint64_t i = 1; i <= 4096; ++i) {
    const std::uint64_t word = i * ((std::uint64_t{1} << 52) - 1);
    const std::int64_t draw = noise.from_word(word);
    EXPECT_LE(last, draw);
    last = draw;
    EXPECT_EQ(noise.from_word(~word), -draw);
    // P(X > draw) <= 1 - u <= P(X >= draw), u the word as a fraction.
    const double rest = static_cast<double>(~word) * 0x1p-64;
    EXPECT_LE(noise.ccdf(draw + 1), rest * (1 + 1e-12) + 1e-15);
    EXPECT_GE(noise.ccdf(draw), rest * (1 - 1e-12) - 1e-15);
  }
}

TEST(DiscreteGaussian, ProbabilitiesSumToOneOnBothSidesOfTheNormaliser) {
  for (const double scale : {0.01, 0.3, 0.999, 1.0, 7.3, 200.0}) {
    const auto noise = DiscreteGaussian::create(scale).value();
    const auto reach = static_cast<std::int64_t>(40.0 * scale) + 2;
    double sum = 0.0;
    for (std::int64_t k = -reach; k <= reach; ++k) sum += std::exp(noise.log_pmf(k));
    EXPECT_NEAR(sum, 1.0, 1e-13) << scale;
    EXPECT_NEAR(noise.ccdf(1) + noise.ccdf(0), 1.0, 1e-13) << scale;  // symmetry
    EXPECT_NEAR(noise.ccdf(2), noise.ccdf(1) - std::exp(noise.log_pmf(1)), 1e-13);
  }
}

TEST(UniformBelow, StaysInRangeAndReachesBothEnds) {
  ReplayStream random({3, hash_purpose("below"), 0, 0, Phase::kCertify});
  for (const std::uint64_t bound : {1u, 2u, 3u, 5u, 8u}) {
    std::vector<int> seen(bound, 0);
    for (int i = 0; i < 1000; ++i) ++seen[uniform_below(random, bound)];
    for (const int count : seen) EXPECT_GT(count, 0);
  }
  EXPECT_LT(uniform_below(random, ~std::uint64_t{0}), ~std::uint64_t{0});
}

TEST(GaussLegendre, IntegratesPiecewiseAnalyticFunctions) {
  const std::vector<double> breaks{-50.0, 0.0, 0.5, 0.5, 2.0};
  const auto nodes = gauss_legendre_nodes(-1.0, 3.0, breaks, 0.75);
  double length = 0.0;
  double kinked = 0.0;
  double steep = 0.0;
  double last = -1.0;
  for (const auto& [x, weight] : nodes) {
    EXPECT_GT(x, last);
    last = x;
    length += weight;
    kinked += weight * std::abs(x - 0.5);
    steep += weight * std::exp(-10.0 * std::abs(x - 0.5));
  }
  EXPECT_NEAR(length, 4.0, 1e-14);
  EXPECT_NEAR(kinked, (1.5 * 1.5 + 2.5 * 2.5) / 2.0, 1e-14);
  EXPECT_NEAR(steep, (2.0 - std::exp(-15.0) - std::exp(-25.0)) / 10.0, 1e-15);
}

}  // namespace
}  // namespace assay
