// Each sampler against its own law: Kolmogorov-Smirnov and both tails, a million draws, fixed seeds.
//
// alpha = 1e-6 for each assertion. KS: P(sup |F_n - F| > t/sqrt(n)) <= 2 exp(-2 t^2) for every n (Massart
// 1990). Tails: exact two-sided binomial limits on the number of draws beyond a quantile.
#include <boost/math/distributions/binomial.hpp>

#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/goodness_of_fit.hpp"

namespace assay {
namespace {

constexpr std::size_t kNoiseDraws = 1'000'000;

template <class Distribution>
std::vector<double> draw(const Distribution& distribution, std::string_view purpose) {
  ReplayStream random({20240601, hash_purpose(purpose), 0, 0, Phase::kCertify});
  std::vector<double> draws(kNoiseDraws);
  distribution.fill(random, draws);
  return draws;
}

template <class Distribution>
void expect_cdf(const Distribution& distribution, const std::vector<double>& draws, bool is_it) {
  const double distance = kolmogorov_distance(draws, [&](double x) { return distribution.cdf(x); });
  EXPECT_EQ(distance <= kolmogorov_limit(draws.size()), is_it) << distance;
}

void expect_binomial(std::ptrdiff_t count, double rate, double quantile) {
  const boost::math::binomial_distribution<> distribution(static_cast<double>(kNoiseDraws), rate);
  const auto k = static_cast<double>(count);
  EXPECT_GT(boost::math::cdf(distribution, k), kTestAlpha / 2)
      << count << " draws beyond " << quantile;
  const double at_least =
      k == 0.0 ? 1.0 : boost::math::cdf(boost::math::complement(distribution, k - 1.0));
  EXPECT_GT(at_least, kTestAlpha / 2) << count << " draws beyond " << quantile;
}

template <class Distribution>
void expect_draws_follow(const Distribution& distribution, std::string_view purpose) {
  const auto draws = draw(distribution, purpose);
  expect_cdf(distribution, draws, true);
  for (const double rate : {1e-1, 1e-3, 1e-5}) {
    const double low = distribution.quantile(rate);
    const double high = distribution.ccdf_quantile(rate);
    expect_binomial(std::count_if(draws.begin(), draws.end(), [=](double x) { return x < low; }),
                    rate, low);
    expect_binomial(std::count_if(draws.begin(), draws.end(), [=](double x) { return x > high; }),
                    rate, high);
  }
  // Draws of one block are independent: the correlation of the cdfs of successive draws.
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < draws.size(); ++i) {
    sum += (distribution.cdf(draws[i]) - 0.5) * (distribution.cdf(draws[i + 1]) - 0.5);
  }
  // Each term has variance 1/144; 4.9 standard errors are alpha = 1e-6.
  EXPECT_LE(std::abs(sum) * 12.0, 4.9 * std::sqrt(static_cast<double>(kNoiseDraws)));
}

TEST(NoiseSamplers, GaussianDrawsFollowTheirDistribution) {
  expect_draws_follow(*Gaussian::create(-1.0, 3.0), "samplers/gaussian");
}
TEST(NoiseSamplers, LaplaceDrawsFollowTheirDistribution) {
  expect_draws_follow(*Laplace::create(-1.0, 3.0), "samplers/laplace");
}
TEST(NoiseSamplers, GumbelDrawsFollowTheirDistribution) {
  expect_draws_follow(*Gumbel::create(-1.0, 3.0), "samplers/gumbel");
}
TEST(NoiseSamplers, ExponentialDrawsFollowTheirDistribution) {
  expect_draws_follow(*Exponential::create(3.0), "samplers/exponential");
}

TEST(NoiseSamplers, TheKolmogorovTestConvictsAScaleOffByTwoPercent) {
  const auto draws = draw(*Gaussian::create(0.0, 1.02), "samplers/planted");
  expect_cdf(*Gaussian::create(0.0, 1.0), draws, false);
}

}  // namespace
}  // namespace assay
