// Betting on pairs of runs: the expectation of the wealth by full enumeration, for every coupling.
#include "assay/auditors/statistics/pair_betting.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

PairBettingTest make(double epsilon, double delta, double alpha, std::int64_t horizon) {
  PairBettingPlan plan{.alpha = alpha, .horizon = horizon};
  return PairBettingTest::create(Epsilon{epsilon}, Delta{delta}, plan).value();
}

struct Joint {  // probabilities of (f(x), f(y)) = (0, 0), (0, 1), (1, 0), (1, 1)
  std::array<double, 4> at;
};

// Marginals p and q; both >= t with probability between the extremes of Frechet.
Joint coupled(double p, double q, double mix) {
  const double least = std::max(0.0, p + q - 1.0), most = std::min(p, q);
  const double both = least + mix * (most - least);
  return {{1.0 - p - q + both, q - both, p - both, both}};
}

struct BettingOutcome {
  double wealth = 0.0;     // expectation
  double certified = 0.0;  // probability
};

template <class Betting>
BettingOutcome enumerate_bets(const Betting& test, const Joint& joint, int pairs) {
  if (pairs == 0) return {test.wealth(), test.certified() ? 1.0 : 0.0};
  BettingOutcome sum;
  for (std::size_t i = 0; i < 4; ++i) {
    if (joint.at[i] <= 0.0) continue;
    Betting next = test;
    next.observe(i >= 2 ? 1.0 : 0.0, i % 2 == 1 ? 1.0 : 0.0);
    const BettingOutcome then = enumerate_bets(next, joint, pairs - 1);
    sum.wealth += joint.at[i] * then.wealth;
    sum.certified += joint.at[i] * then.certified;
  }
  return sum;
}

TEST(PairBetting, WealthUnderATrueClaimIsExpectedToBeAtMostOneWhateverTheCoupling) {
  constexpr int kPairs = 7;
  for (const double epsilon : {0.0, 0.7, 2.0}) {
    for (const double q : {0.05, 0.3}) {
      for (const double delta : {0.0, 0.1}) {
        const double p = std::exp(epsilon) * q + delta;
        if (p > 1.0) continue;
        for (const double mix : {0.0, 0.5, 1.0}) {
          const auto start = make(epsilon, delta, 0.2, kPairs);
          const auto end = enumerate_bets(start, coupled(p, q, mix), kPairs);
          EXPECT_LE(end.wealth, 1.0 + 1e-12) << epsilon << " " << q << " " << mix;
          EXPECT_GE(end.wealth, 1.0 - 1e-12);  // p is at the boundary: a martingale
          EXPECT_LE(end.certified, 0.2) << epsilon << " " << q << " " << mix;
          const auto inside = enumerate_bets(start, coupled(0.8 * p, q, mix), kPairs);
          EXPECT_LE(inside.wealth, 1.0);
        }
      }
    }
  }
}

TEST(PairBetting, NothingIsBetAfterTheHorizon) {
  auto test = make(0.0, 0.0, 0.05, 20);
  for (int k = 0; k < 10; ++k) {
    test.observe(1.0, 0.0);
    test.observe(0.0, 1.0);
  }
  ASSERT_FALSE(test.certified());
  const double wealth = test.wealth();
  EXPECT_NE(wealth, 1.0);
  for (int k = 0; k < 5; ++k) test.observe(1.0, 0.0);
  EXPECT_EQ(test.wealth(), wealth);
}

TEST(PairBetting, CertifiesAGrossViolationBeforeTheHorizonAndThenKeepsItsVerdict) {
  auto test = make(0.5, 0.0, 0.05, 1000);
  int pairs = 0;
  for (; pairs < 1000 && !test.certified(); ++pairs) test.observe(1.0, 0.0);
  EXPECT_LT(pairs, 500);
  ASSERT_TRUE(test.certified());
  const double wealth = test.wealth();
  for (int k = 0; k < 50; ++k) test.observe(0.0, 1.0);
  EXPECT_TRUE(test.certified());
  EXPECT_EQ(test.wealth(), wealth);
}

TEST(PairBetting, RefusesPlansOutsideTheirRangeAndSaysSo) {
  const auto message = [](double epsilon, double delta, PairBettingPlan plan) {
    return PairBettingTest::create(Epsilon{epsilon}, Delta{delta}, plan).error().to_string();
  };
  PairBettingPlan good{.horizon = 10};
  EXPECT_EQ(message(-1.0, 0.0, good), "/epsilon: epsilon must lie in [0, 700]");
  EXPECT_EQ(message(1.0, 1.5, good), "/delta: delta must lie in [0, 1]");
  auto plan = good;
  plan.alpha = 0.0;
  EXPECT_EQ(message(1.0, 0.0, plan), "/alpha: alpha must lie in (0, 1)");
  EXPECT_EQ(message(1.0, 0.0, PairBettingPlan{}), "/horizon: horizon must be at least 1");
}

}  // namespace
}  // namespace assay
