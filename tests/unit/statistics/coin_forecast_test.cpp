// Forecasts of the coin: exact at their optimum, finite where the inputs separate, unmoved by order and names.
#include "assay/auditors/statistics/coin_forecast.hpp"

#include <cmath>
#include <numbers>

#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// In the order in which forecast_coin() returns them.
enum Forecaster : std::size_t { kLine, kParabola, kScoreParabola, kSmooth, kAlone, kAtoms, kWeak };

ClassedRuns classes(std::vector<double> p, std::vector<double> q) {
  const std::size_t n = p.size();
  ClassedRuns runs{std::move(p), std::move(q), {}};
  for (std::size_t k = 0; k < n; ++k) {
    runs.z.push_back(
        n == 1 ? 0.0 : 3.0 * (2.0 * static_cast<double>(k) / static_cast<double>(n - 1) - 1.0));
  }
  return runs;
}

// Quantile classes of a Gaussian pair with shift mu, with so many runs that noise is nothing.
ClassedRuns gaussian_classes(double mu, std::size_t n, double runs) {
  std::vector<double> p, q;
  const auto pooled = [&](double y) { return 0.5 * (normal_cdf(y) + normal_cdf(y - mu)); };
  double last_p = 0.0, last_q = 0.0;
  for (std::size_t k = 1; k <= n; ++k) {
    double low = -40.0, high = 40.0;
    for (int i = 0; i < 100; ++i) {
      const double y = 0.5 * (low + high);
      (pooled(y) < static_cast<double>(k) / static_cast<double>(n) ? low : high) = y;
    }
    const double at_p = k == n ? 1.0 : normal_cdf(low - mu), at_q = k == n ? 1.0 : normal_cdf(low);
    p.push_back(0.5 * runs * (at_p - last_p));
    q.push_back(0.5 * runs * (at_q - last_q));
    last_p = at_p;
    last_q = at_q;
  }
  return classes(std::move(p), std::move(q));
}

double log_odds(double share) { return portable_log(share) - portable_log1p(-share); }

TEST(CoinForecast, EveryForecasterAnswersForEveryClass) {
  const auto forecasts = forecast_coin(classes({3, 0, 5, 9}, {4, 2, 0, 1}), 0.5);
  ASSERT_EQ(forecasts.size(), kCoinForecasters);
  for (const CoinForecast& forecast : forecasts) {
    ASSERT_EQ(forecast.size(), 4U);
    double sum = 0.0;
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_GT(forecast.on_p[k], 0.0);
      EXPECT_LT(forecast.on_p[k], 1.0);
      sum += forecast.mass[k];
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

// With many runs the log-odds of a Gaussian pair are known: mu (y - mu/2), a straight line in the score.
TEST(CoinForecast, ManyRunsGiveTheOddsOfAGaussianPair) {
  const ClassedRuns runs = gaussian_classes(1.0, 20, 1e7);
  const auto forecasts = forecast_coin(runs, 0.8);
  for (std::size_t k = 1; k + 1 < runs.size(); ++k) {
    const double exact = runs.p[k] / (runs.p[k] + runs.q[k]);
    EXPECT_NEAR(forecasts[kLine].on_p[k], exact, 0.01) << k;
    EXPECT_NEAR(forecasts[kParabola].on_p[k], exact, 0.01) << k;
    EXPECT_NEAR(forecasts[kSmooth].on_p[k], exact, 0.001) << k;
    EXPECT_NEAR(forecasts[kAlone].on_p[k], exact, 0.001) << k;
  }
  // The templates are lines of known slope through the same middle, in order of their strength.
  const double middle = log_odds(forecasts[kWeak].on_p[10]) - log_odds(forecasts[kWeak].on_p[9]);
  double last = 0.0;
  for (std::size_t i = kWeak; i < kCoinForecasters; ++i) {
    const double slope = log_odds(forecasts[i].on_p[10]) - log_odds(forecasts[i].on_p[9]);
    EXPECT_GT(slope, last);
    last = slope;
  }
  EXPECT_NEAR(middle,
              1.15 * 0.8 * std::sqrt(1.0 + 0.25 * 0.92 * 0.92) * (2.0 * normal_quantile(0.525)),
              1e-3);
}

// The fit is where the gradient of the penalised likelihood is 0: ridge 1/4 on the level of one class.
TEST(CoinForecast, TheLevelOfOneClassSolvesItsEquation) {
  const ClassedRuns runs = classes({30}, {10});
  const auto forecasts = forecast_coin(runs, 1.0);
  // x = 0 and the level w: 30 - 40 s(w) - w/4 = 0, tempered by 1/(40 s (1 - s) + 1/4).
  double low = 0.0, high = 3.0;
  for (int i = 0; i < 200; ++i) {
    const double w = 0.5 * (low + high);
    (30.0 - 40.0 / (1.0 + std::exp(-w)) - 0.25 * w > 0.0 ? low : high) = w;
  }
  const double s = 1.0 / (1.0 + std::exp(-low));
  const double v = 1.0 / (40.0 * s * (1.0 - s) + 0.25);
  EXPECT_NEAR(log_odds(forecasts[kLine].on_p[0]), low / std::sqrt(1.0 + std::numbers::pi / 8.0 * v),
              1e-6);
}

TEST(CoinForecast, InputsThatSeparateStayFinite) {
  for (const double n : {5.0, 500.0, 5e7}) {
    for (const CoinForecast& forecast : forecast_coin(classes({0, 0, n, n}, {n, n, 0, 0}), 3.0)) {
      for (const double share : forecast.on_p) EXPECT_TRUE(share > 0.0 && share < 1.0);
      EXPECT_LT(forecast.on_p[0], 0.5);
      EXPECT_GT(forecast.on_p[3], 0.5);
    }
  }
}

TEST(CoinForecast, ExchangedInputsExchangeTheForecast) {
  const ClassedRuns runs = classes({3, 0, 5, 9, 2}, {4, 2, 0, 1, 2});
  const ClassedRuns other = {runs.q, runs.p, runs.z};
  const auto one = forecast_coin(runs, 0.7), exchanged = forecast_coin(other, 0.7);
  for (std::size_t i = 0; i < kCoinForecasters; ++i) {
    for (std::size_t k = 0; k < runs.size(); ++k) {
      EXPECT_NEAR(one[i].on_p[k], 1.0 - exchanged[i].on_p[k], 1e-6) << i << ", class " << k;
    }
  }
}

// Half of the prior is on even odds; the posterior mean for one class by Bayes' rule, written out.
TEST(CoinForecast, AtomsFollowBayesRule) {
  const double claimed = 1.0;
  const ClassedRuns runs = classes({6}, {0});
  double all = 0.0, on_p = 0.0;
  const auto add = [&](double share, double prior) {
    const double weight = prior * std::pow(share, 6.0);
    all += weight;
    on_p += weight * share;
  };
  add(0.5, 0.5);
  for (const double beyond : {0.5, 1.0, 1.5, 2.0, 3.0, 4.0}) {
    const double share = 1.0 / (1.0 + std::exp(-claimed - beyond));
    add(share, 0.25 / 6.0);
    add(1.0 - share, 0.25 / 6.0);
  }
  EXPECT_NEAR(forecast_coin(runs, claimed)[kAtoms].on_p[0], on_p / all, 1e-12);
}

}  // namespace
}  // namespace assay
