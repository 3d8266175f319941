// Portfolios of guess games: admissible by a linear programme over every pair of distributions of the claim, and of
// the largest growth by the optimality condition over all sets of classes.
#include "assay/auditors/statistics/guess_games.hpp"

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/tests/support/linear_programme.hpp"
#include "assay/tests/support/seeded_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr long double kRoom = 1e-12L;  // for rounding

bool holds(std::size_t set, std::size_t k) { return (set >> k & 1U) != 0; }

// The largest mean of the factor over all P and Q that the lines allow: 2^K sets, both orders.
long double largest_mean(const CoinBet& bet, const ClaimLines& lines) {
  const std::size_t classes = bet.size();
  std::vector<LinearConstraint> constraints;
  for (const bool on_p : {true, false}) {
    LinearConstraint total{std::vector<long double>(2 * classes, 0.0L), 1.0L};
    for (std::size_t k = 0; k < classes; ++k) total.a[on_p ? k : classes + k] = 1.0L;
    constraints.push_back(total);
    for (const SideClaim& line : lines) {
      for (std::size_t set = 1; set < (std::size_t{1} << classes); ++set) {
        LinearConstraint one{std::vector<long double>(2 * classes, 0.0L), line.offset};
        for (std::size_t k = 0; k < classes; ++k) {
          if (!holds(set, k)) continue;
          one.a[on_p ? k : classes + k] = 1.0L;
          one.a[on_p ? classes + k : k] = -static_cast<long double>(line.slope);
        }
        constraints.push_back(one);
      }
    }
  }
  std::vector<long double> objective;
  for (const double factor : bet.on_p) objective.push_back(0.5L * factor);
  for (const double factor : bet.on_q) objective.push_back(0.5L * factor);
  return largest_value(objective, constraints);
}

CoinForecast random_forecast(ReplayStream& random, std::size_t classes) {
  CoinForecast forecast;
  double sum = 0.0;
  for (std::size_t k = 0; k < classes; ++k) {
    forecast.on_p.push_back(0.01 + 0.98 * random.uniform());
    sum += forecast.mass.emplace_back(0.05 + random.uniform());
  }
  for (double& mass : forecast.mass) mass /= sum;
  return forecast;
}

ClaimLines random_lines(ReplayStream& random) {
  if (random.uniform() < 0.4) return lines_of(Mu{0.1 + 2.0 * random.uniform()});
  const double delta = random.uniform() < 0.5 ? 0.0 : 0.2 * random.uniform();
  return lines_of(Epsilon{3.0 * random.uniform()}, Delta{delta});
}

TEST(GuessGames, NoPairOfTheClaimGivesABetAMeanAboveOne) {
  ReplayStream random = seeded_stream(1);
  for (int i = 0; i < 40; ++i) {
    const std::size_t classes = 1 + static_cast<std::size_t>(i) % 5;
    const ClaimLines lines = random_lines(random);
    const CoinForecast forecast = random_forecast(random, classes);
    for (const int rounds : {0, 1, 5, kPortfolioRounds}) {
      const CoinBet bet = best_portfolio(lines, forecast, rounds);
      EXPECT_LE(largest_mean(bet, lines), 1.0L + kRoom) << classes << " classes, case " << i;
      for (std::size_t k = 0; k < classes; ++k) {
        EXPECT_GE(bet.on_p[k], 0.0);
        EXPECT_GE(bet.on_q[k], 0.0);
      }
    }
  }
}

// The oracle finds small faults: an offset that is too small, weights that sum to more than 1, prizes that are
// too high.
TEST(GuessGames, TheProgrammeRejectsFaultyBets) {
  CoinForecast forecast{{0.1, 0.4, 0.6, 0.9}, {0.25, 0.25, 0.25, 0.25}};
  const ClaimLines lines = lines_of(Epsilon{0.3}, Delta{0.01});
  const CoinBet right = best_portfolio(lines, forecast);
  EXPECT_LE(largest_mean(right, lines), 1.0L + kRoom);
  const ClaimLines too_small = {{lines[0].slope, lines[0].offset - 1e-6}};
  EXPECT_GT(largest_mean(best_portfolio(too_small, forecast), lines), 1.0L + kRoom);
  CoinBet heavy = right;
  for (auto* side : {&heavy.on_p, &heavy.on_q}) {
    for (double& factor : *side) factor *= 1.001;
  }
  EXPECT_GT(largest_mean(heavy, lines), 1.0L + kRoom);
  // A game that pays 2c/(c + d) on both sides. With the prizes exchanged it would be the mirror on the complement.
  const double high = 2.0 * lines[0].slope / (lines[0].slope + lines[0].offset);
  const CoinBet generous{{0.0, 0.0, high, high}, {high, high, 0.0, 0.0}};
  EXPECT_GT(largest_mean(generous, lines), 1.0L + kRoom);
}

// For the portfolio of largest growth, the expected ratio of every game to the mixture is at most 1.
TEST(GuessGames, NoGameOnAnySetWouldAddMuchToTheGrowth) {
  ReplayStream random = seeded_stream(2);
  for (int i = 0; i < 20; ++i) {
    const std::size_t classes = 2 + static_cast<std::size_t>(i) % 4;
    const ClaimLines lines = random_lines(random);
    const CoinForecast forecast = random_forecast(random, classes);
    const CoinBet bet = best_portfolio(lines, forecast, 20 * kPortfolioRounds);
    for (const SideClaim& line : lines) {
      for (std::size_t set = 0; set < (std::size_t{1} << classes); ++set) {
        for (const bool mirror : {false, true}) {
          double ratio = 0.0;
          for (std::size_t k = 0; k < classes; ++k) {
            const double low = 2.0 / (line.slope + line.offset), high = low * line.slope;
            const double on_p = holds(set, k) == mirror ? 0.0 : mirror ? high : low;
            const double on_q = holds(set, k) == mirror ? (mirror ? low : high) : 0.0;
            ratio += forecast.mass[k] * (forecast.on_p[k] * on_p / bet.on_p[k] +
                                         (1.0 - forecast.on_p[k]) * on_q / bet.on_q[k]);
          }
          EXPECT_LE(ratio, 1.02) << "case " << i << ", set " << set;
        }
      }
    }
  }
}

// With delta 0 and classes that mirror each other, the best bet is the forecast over the forecast clipped to what
// the claim allows.
TEST(GuessGames, PureClaimsHaveAClosedForm) {
  const CoinForecast forecast{{0.05, 0.3, 0.5, 0.7, 0.95}, {0.15, 0.2, 0.3, 0.2, 0.15}};
  const double c = portable_exp(0.5);
  CoinBet closed;
  for (const double eta : forecast.on_p) {
    const auto over_clipped = [&](double of) {
      return of / std::clamp(of, 1.0 / (1.0 + c), c / (1.0 + c));
    };
    closed.on_p.push_back(over_clipped(eta));
    closed.on_q.push_back(over_clipped(1.0 - eta));
  }
  const ClaimLines lines = lines_of(Epsilon{0.5}, Delta{0.0});
  EXPECT_LE(largest_mean(closed, lines), 1.0L + kRoom);
  const double best = growth(closed, forecast);
  const double found = growth(best_portfolio(lines, forecast, 100 * kPortfolioRounds), forecast);
  EXPECT_LE(found, best + 1e-9);
  EXPECT_NEAR(found, best, 1e-4 * best);
}

TEST(GuessGames, LinesOfMuAreTangentsOfItsCurve) {
  for (const double mu : {0.05, 0.5, 1.0, 3.0}) {
    const ClaimLines lines = lines_of(Mu{mu});
    EXPECT_EQ(lines.size(), 8U);
    for (const SideClaim& line : lines) {
      const double exact = gdp_delta(Mu{mu}, Epsilon{portable_log(line.slope)}).value;
      EXPECT_GE(line.offset, exact);
      EXPECT_NEAR(line.offset, exact, 1e-13);
    }
  }
  EXPECT_EQ(lines_of(Mu{0.0}).size(), 1U);
  EXPECT_EQ(lines_of(Mu{0.0})[0].offset, 0.0);
}

// The largest growth of any admissible bet on a Gaussian pair of mu = 1, by a programme with 17 to 37 lines and 100
// to 200 classes: 0.02767 to 0.02789 against mu = 0.5, 0.00434 to 0.00457 against 0.8.
TEST(GuessGames, EightLinesReachNearlyTheGrowthOfTheWholeCurve) {
  constexpr int kClasses = 100;
  CoinForecast forecast;
  double sum = 0.0;
  for (int k = 0; k < kClasses; ++k) {
    const double y = -5.0 + 11.0 * (k + 0.5) / kClasses;
    const double p = portable_exp(normal_log_pdf(y - 1.0)), q = portable_exp(normal_log_pdf(y));
    forecast.on_p.push_back(p / (p + q));
    sum += forecast.mass.emplace_back(p + q);
  }
  for (double& mass : forecast.mass) mass /= sum;
  const auto reached = [&](double mu) {
    return growth(best_portfolio(lines_of(Mu{mu}), forecast, 5000), forecast);
  };
  EXPECT_GT(reached(0.5), 0.99 * 0.02767);
  EXPECT_LT(reached(0.5), 0.02789);
  EXPECT_GT(reached(0.8), 0.97 * 0.00434);
  EXPECT_LT(reached(0.8), 0.00457);
}

}  // namespace
}  // namespace assay
