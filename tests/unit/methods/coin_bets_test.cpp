// The wealth of forecast bets: a product of factors that earlier runs fixed, the same whoever computes it.
#include "assay/auditors/methods/black_box/coin_bets.hpp"

#include <array>
#include <cmath>
#include <numeric>

#include "assay/auditors/methods/black_box/adaptive_bins.hpp"
#include "assay/tests/support/coin_audit.hpp"
#include "assay/tests/support/seeded_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

struct ScoredRun {
  std::array<double, 2> scores;
  CoinRun run;
};

// A Gaussian pair of mu 1, by two scores: the output, and its distance from 0.
std::vector<ScoredRun> gaussian_runs(int count, std::uint64_t seed) {
  ReplayStream random = seeded_stream(seed);
  std::vector<ScoredRun> runs;
  for (int i = 0; i < count; ++i) {
    const CoinRun run{random.uniform() < 0.5, random.uniform() < 0.5};
    const double y = draw_normal(random) + (run.on_p ? 1.0 : 0.0);
    runs.push_back({{y, std::abs(y)}, run});
  }
  return runs;
}

CoinBets bets_on(const std::vector<ScoredRun>& runs, ForecastClaim claim, bool divided = false) {
  CoinBets bets(std::move(claim), {0.75, 0.25}, divided);
  for (const ScoredRun& one : runs) bets.observe(one.scores, one.run);
  return bets;
}

TEST(ForecastBets, BlocksGrowByAnEighth) {
  EXPECT_EQ(next_block(0), 24);
  EXPECT_EQ(next_block(24), 8);
  EXPECT_EQ(next_block(800), 100);
  std::int64_t runs = 0;
  int blocks = 0;
  for (; runs < 1'000'000; runs += next_block(runs)) ++blocks;
  EXPECT_LT(blocks, 100);
}

TEST(ForecastBets, TheWealthIsTheMeanOfTheMembersProducts) {
  ForecastBets bets(ForecastClaim::of(Epsilon{0.5}, Delta{0.0}));
  const ClassedRuns learned{{10, 4}, {3, 9}, {-1.0, 1.0}};
  bets.observe(std::array<std::uint8_t, 1>{0}, true);
  EXPECT_NEAR(bets.log_wealth(), 0.0, 1e-12) << "no bets yet";
  bets.start_block(std::span(&learned, 1));
  std::vector<double> products(bets.bets().size(), 1.0);
  double most = 0.0;
  for (int i = 0; i < 200; ++i) {
    const bool on_p = i % 3 != 0;
    const std::uint8_t k = i % 5 == 0 ? 1 : 0;
    bets.observe(std::array{k}, on_p);
    double sum = 0.0;
    for (std::size_t m = 0; m < products.size(); ++m) {
      const CoinBet& bet = bets.bets()[m];
      products[m] *= on_p ? bet.on_p[k] : bet.on_q[k];
      sum += products[m];
    }
    const double log = std::log(sum / static_cast<double>(products.size()));
    EXPECT_NEAR(bets.log_wealth(), log, 1e-9);
    most = std::max(most, log);
  }
  EXPECT_TRUE(bets.reached(std::exp(-most + 1e-6)));
  EXPECT_FALSE(bets.reached(std::exp(-most - 1e-6)));
}

TEST(ForecastBets, HugeAndTinyWealthsStayFinite) {
  const ClassedRuns learned{{1000, 0}, {0, 1000}, {-1.0, 1.0}};
  for (const bool right : {true, false}) {
    ForecastBets bets(ForecastClaim::of(Epsilon{0.1}, Delta{0.0}));
    bets.start_block(std::span(&learned, 1));
    for (int i = 0; i < 5000; ++i) {
      bets.observe(std::array<std::uint8_t, 1>{static_cast<std::uint8_t>(i % 2)},
                   (i % 2 == 0) == right);
    }
    EXPECT_TRUE(std::isfinite(bets.log_wealth()));
    EXPECT_EQ(bets.log_wealth() > 1000.0, right);
    EXPECT_EQ(bets.log_wealth() < 0.0, !right);
  }
}

// What bets on a run was fixed before its block.
TEST(CoinBets, NoBetOfABlockDependsOnItsRuns) {
  const ForecastClaim claim = ForecastClaim::of(Mu{0.5});
  const auto runs = gaussian_runs(40, 3);
  CoinBets bets(claim, {0.75, 0.25});
  for (std::size_t i = 0; i < 33; ++i) bets.observe(runs[i].scores, runs[i].run);
  ASSERT_EQ(bets.block_left(), 7);
  CoinBets other = bets;
  other.observe(runs[33].scores, runs[33].run);
  bets.observe(std::array{1e9, -4.0}, {true});
  ASSERT_EQ(bets.bets().size(), other.bets().size());
  for (std::size_t m = 0; m < bets.bets().size(); ++m) {
    EXPECT_EQ(bets.bets()[m].on_p, other.bets()[m].on_p);
    EXPECT_EQ(bets.bets()[m].on_q, other.bets()[m].on_q);
  }
}

// The order of runs within a block is of no consequence for later bets.
TEST(CoinBets, LaterBlocksSeeABlockAsASet) {
  auto runs = gaussian_runs(120, 4);
  const ForecastClaim claim = ForecastClaim::of(Mu{0.5});
  const CoinBets one = bets_on(runs, claim);
  std::swap(runs[25], runs[30]);
  const CoinBets other = bets_on(runs, claim);
  EXPECT_NEAR(one.log_wealth(), other.log_wealth(), 1e-12);
  EXPECT_EQ(one.bets()[5].on_p, other.bets()[5].on_p);
}

TEST(CoinBets, ReplayingTheSameClaimGivesTheSameWealth) {
  const ForecastClaim claim = ForecastClaim::of(Mu{0.5});
  for (const bool divided : {false, true}) {
    const CoinBets bets = bets_on(gaussian_runs(700, 5), claim, divided);
    const ForecastBets again = bets.against(claim);
    EXPECT_EQ(again.log_wealth(), bets.log_wealth());
    EXPECT_EQ(again.reached(0.01, 0.2), bets.reached(0.01, 0.2));
  }
}

TEST(CoinBets, DividedRunsNeedBothSeedings) {
  auto runs = gaussian_runs(800, 6);
  const ForecastClaim claim = ForecastClaim::of(Mu{0.5});
  EXPECT_TRUE(bets_on(runs, claim, true).reached(0.01, 0.05));
  // The runs with a key are noise: their wealth does not grow, whatever the others show.
  ReplayStream random = seeded_stream(7);
  for (ScoredRun& one : runs) {
    if (!one.run.keyed) continue;
    const double y = draw_normal(random) + 0.5;
    one.scores = {y, std::abs(y)};
  }
  EXPECT_FALSE(bets_on(runs, claim, true).reached(0.9, 0.05));
}

TEST(CoinBets, AScoreThatIsExchangedKeepsTheWealth) {
  const auto runs = gaussian_runs(600, 8);
  CoinBets bets(ForecastClaim::of(Mu{0.5}), {0.75, 0.25});
  std::size_t i = 0;
  for (; i < 300 || bets.block_left() > 0; ++i) bets.observe(runs[i].scores, runs[i].run);
  const double before = bets.log_wealth();
  std::vector<double> negative;
  for (std::size_t j = 0; j < i; ++j) negative.push_back(-runs[j].scores[0]);
  bets.exchange_score(1, negative);
  EXPECT_EQ(bets.log_wealth(), before);
  for (; i < runs.size(); ++i) {
    bets.observe(std::array{runs[i].scores[0], -runs[i].scores[0]}, runs[i].run);
  }
  EXPECT_GT(bets.log_wealth(), before);
}

TEST(CoinBets, ABoundNeverFallsWithMoreRuns) {
  const auto runs = gaussian_runs(1000, 9);
  std::vector<double> levels;
  for (double level = 0.1; level < 1.3; level += 0.2) levels.push_back(level);
  double last = 0.0;
  for (const std::size_t count : {100u, 400u, 1000u}) {
    const CoinBets bets = bets_on({runs.begin(), runs.begin() + count}, ForecastClaim::of(Mu{0.5}));
    const double bound = certified_level(bets, levels, 0.05, 1.0,
                                         [](double level) { return ForecastClaim::of(Mu{level}); });
    EXPECT_GE(bound, last);
    EXPECT_LE(bound, 1.0);
    last = bound;
  }
  EXPECT_GT(last, 0.4);
}

TEST(RunClasses, EqualValuesStayTogetherAndEndsAreFiner) {
  std::vector<double> scores(1000, 0.25);
  std::vector<std::uint8_t> on_p(1000, 0);
  for (int i = 0; i < 500; ++i) scores[static_cast<std::size_t>(2 * i)] = i;
  for (std::size_t i = 0; i < on_p.size(); i += 3) on_p[i] = 1;
  const ScoreCuts classed = class_runs(scores, on_p);
  const auto all = [&](std::size_t k) { return classed.runs.p[k] + classed.runs.q[k]; };
  EXPECT_EQ(bin_of(classed.cuts, 0.25), bin_of(classed.cuts, std::nextafter(0.25, 0.0)) + 1);
  EXPECT_LE(all(classed.runs.size() - 1), 12.0);
  EXPECT_EQ(std::accumulate(classed.runs.p.begin(), classed.runs.p.end(), 0.0), 334.0);
}

TEST(RunClasses, FewValuesAndFailuresAreClassesOfTheirOwn) {
  const std::vector<double> scores = {1.0, 2.0, NAN, 2.0, HUGE_VAL, -HUGE_VAL, 1.0};
  const std::vector<std::uint8_t> on_p = {1, 0, 1, 0, 1, 0, 1};
  const ScoreCuts classed = class_runs(scores, on_p);
  EXPECT_EQ(classed.runs.size(), 5U);
  EXPECT_EQ(classed.runs.p, (std::vector<double>{0, 2, 0, 1, 1}));
  EXPECT_EQ(classed.runs.q, (std::vector<double>{1, 0, 2, 0, 0}));
  std::vector<double> many;
  for (int i = 0; i < 500; ++i) many.push_back(i);
  many.push_back(NAN);
  const ScoreCuts of_many = class_runs(many, std::vector<std::uint8_t>(501, 1));
  EXPECT_EQ(of_many.runs.p.back(), 1.0);
}

}  // namespace
}  // namespace assay
