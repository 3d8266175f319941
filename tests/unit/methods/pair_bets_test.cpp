// Bets on a pair's runs by scores that earlier runs teach.
#include "assay/auditors/methods/black_box/pair_bets.hpp"

#include <array>
#include <cmath>

#include "assay/tests/support/coin_audit.hpp"
#include "assay/tests/support/seeded_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr InputShape kNumbers{.kind = InputKind::kMechanism};

InputShape numbers(std::int64_t outputs) {
  InputShape shape = kNumbers;
  shape.outputs = outputs;
  return shape;
}

Outlook outlook_of_eps() {
  return {0.0, 0.5, [](double, double, double) { return 0.1; }, false};
}

OutputBatch run_of(std::vector<double> output) {
  const auto width = static_cast<std::int64_t>(output.size());
  return {1, width, std::move(output)};
}

// Runs on inputs that coins choose; the last of `outputs` numbers leaks, the others are noise.
class Runs {
 public:
  Runs(std::int64_t outputs, double shift, std::uint64_t seed)
      : outputs_(outputs), shift_(shift), random_(seeded_stream(seed)) {}
  CoinRun toss() { return {random_.uniform() < 0.5}; }
  OutputBatch make(CoinRun coin) {
    std::vector<double> output;
    for (std::int64_t k = 0; k < outputs_; ++k) output.push_back(draw_normal(random_));
    if (coin.on_p) output.back() += shift_;
    return run_of(std::move(output));
  }
  SideRuns make_both(std::int64_t count) {
    SideRuns runs;
    for (std::int64_t i = 0; i < count; ++i) {
      append(make({true}), runs.base_side);
      append(make({false}), runs.neighbour_side);
    }
    return runs;
  }

 private:
  std::int64_t outputs_;
  double shift_;
  ReplayStream random_;
};

PairBets bets_on(std::int64_t outputs, double claim, SideRuns earlier = {}) {
  return {{numbers(outputs)},
          outlook_of_eps(),
          ForecastClaim::of(Epsilon{claim}, Delta{0.0}),
          false,
          std::move(earlier)};
}

// Observes runs, of make() and each on the input of a coin, until the wealth is 1/alpha; how many that took.
template <class Make>
std::int64_t runs_until(PairBets& bets, ReplayStream& coins, double alpha, std::int64_t most,
                        const Make& make) {
  while (bets.runs() < most && !bets.bets().reached(alpha)) {
    const std::int64_t block = bets.next_block({});
    for (std::int64_t i = 0; i < block && !bets.bets().reached(alpha); ++i) {
      const CoinRun coin{coins.uniform() < 0.5};
      bets.observe(make(coin), coin);
    }
  }
  return bets.runs();
}
std::int64_t runs_until(PairBets& bets, Runs runs, double alpha, std::int64_t most) {
  ReplayStream coins = seeded_stream(100);
  return runs_until(bets, coins, alpha, most, [&](CoinRun coin) { return runs.make(coin); });
}

TEST(PairBets, FindTheOneNumberOfManyThatLeaks) {
  PairBets bets = bets_on(12, 0.5);
  EXPECT_LT(runs_until(bets, Runs(12, 3.0, 1), 0.01, 4000), 1500);
  PairBets one = bets_on(1, 0.5);
  EXPECT_LT(runs_until(one, Runs(1, 3.0, 2), 0.01, 4000), 300);
}

TEST(PairBets, LearnFromRunsOfTheSearch) {
  Runs runs(12, 3.0, 3);
  PairBets bets = bets_on(12, 0.5, runs.make_both(200));
  EXPECT_EQ(bets.earlier(), 200);
  EXPECT_LT(runs_until(bets, Runs(12, 3.0, 4), 0.01, 4000), 400);
}

TEST(PairBets, AnAtomWithinAContinuousOutputIsAnEventOfItsOwn) {
  // One run in ten on P is exactly 0.3.
  PairBets bets = bets_on(1, 1.0);
  ReplayStream random = seeded_stream(5);
  const auto make = [&](CoinRun coin) {
    const double noise = draw_normal(random);
    return run_of({coin.on_p && random.uniform() < 0.1 ? 0.3 : noise});
  };
  EXPECT_LT(runs_until(bets, random, 0.01, 6000, make), 6000);
}

// What a later run shows changes neither the scores nor the bets of its block.
TEST(PairBets, NoScoreOfABlockDependsOnItsRuns) {
  PairBets bets = bets_on(3, 0.5);
  Runs runs(3, 2.0, 6);
  for (int blocks = 0; blocks < 12; ++blocks) {
    for (std::int64_t left = bets.next_block({}); left > 0; --left) {
      const CoinRun coin = runs.toss();
      bets.observe(runs.make(coin), coin);
    }
  }
  bets.next_block({});
  PairBets other = bets;
  bets.observe(run_of({9.0, -9.0, 40.0}), {true});
  other.observe(run_of({-9.0, 9.0, -40.0}), {false});
  EXPECT_EQ(bets.next_block({}), other.next_block({}));
  std::array<double, 3> here{}, there{};
  bets.score(std::array{0.1, 0.2, 0.3}, here);
  other.score(std::array{0.1, 0.2, 0.3}, there);
  EXPECT_EQ(here, there);
  ASSERT_EQ(bets.bets().bets().size(), other.bets().bets().size());
  for (std::size_t m = 0; m < bets.bets().bets().size(); ++m) {
    EXPECT_EQ(bets.bets().bets()[m].on_p, other.bets().bets()[m].on_p);
  }
}

TEST(PairBets, SayWhetherAllRunsOfAnInputWereAlike) {
  PairBets bets = bets_on(1, 0.5);
  EXPECT_FALSE(bets.only_outputs());
  bets.observe(run_of({1.0}), {true});
  EXPECT_FALSE(bets.only_outputs()) << "nothing was seen on the other input";
  bets.observe(run_of({2.0}), {false});
  bets.observe(run_of({1.0}), {true});
  ASSERT_TRUE(bets.only_outputs());
  EXPECT_NE((*bets.only_outputs())[0], (*bets.only_outputs())[1]);
  bets.observe(run_of({1.5}), {true});
  EXPECT_FALSE(bets.only_outputs());
}

// The wealth of a target at its claim is a fair game at best: its mean at a stop is at most 1.
TEST(PairBets, WithLearnedScoresTheMeanOfTheWealthIsAtMostOne) {
  double sum = 0.0, squares = 0.0;
  constexpr int kAudits = 40;
  for (int audit = 0; audit < kAudits; ++audit) {
    PairBets bets = bets_on(3, 1.0);
    ReplayStream random = seeded_stream(1000 + static_cast<std::uint64_t>(audit));
    // Randomised response at eps = 1, beside noise.
    runs_until(bets, random, 0.05, 400, [&](CoinRun coin) {
      const bool told = random.uniform() < 1.0 / (1.0 + std::exp(-1.0));
      return run_of({draw_normal(random), told == coin.on_p ? 1.0 : 0.0, draw_normal(random)});
    });
    const double wealth = std::exp(bets.bets().log_wealth());
    sum += wealth;
    squares += wealth * wealth;
  }
  const double mean = sum / kAudits;
  const double error = std::sqrt((squares / kAudits - mean * mean) / kAudits);
  EXPECT_LE(mean, 1.0 + 4.0 * error);
}

}  // namespace
}  // namespace assay
