// Betting on pairs of runs: the expectation of the wealth by full enumeration, for every coupling.
#include "assay/auditors/statistics/pair_betting.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

constexpr std::array<PairBets, 3> kBets = {PairBets::kOption, PairBets::kOnline, PairBets::kBoth};

PairBettingTest make(double epsilon, double delta, double alpha, std::int64_t horizon,
                     PairBets bets) {
  PairBettingPlan plan;
  plan.alpha = alpha;
  plan.horizon = horizon;
  plan.bets = bets;
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

struct Outcome {
  double wealth = 0.0;     // expectation
  double certified = 0.0;  // probability
};

template <class Betting>
Outcome enumerate(const Betting& test, const Joint& joint, int blocks) {
  if (blocks == 0) return {test.wealth(), test.certified() ? 1.0 : 0.0};
  Outcome sum;
  for (std::size_t i = 0; i < 4; ++i) {
    if (joint.at[i] <= 0.0) continue;
    Betting next = test;
    next.observe(i >= 2 ? 1.0 : 0.0, i % 2 == 1 ? 1.0 : 0.0);
    const Outcome then = enumerate(next, joint, blocks - 1);
    sum.wealth += joint.at[i] * then.wealth;
    sum.certified += joint.at[i] * then.certified;
  }
  return sum;
}

TEST(PairBetting, WealthUnderATrueClaimIsExpectedToBeAtMostOneWhateverTheCoupling) {
  constexpr int kBlocks = 7;
  for (const auto bets : kBets) {
    for (const double epsilon : {0.0, 0.7, 2.0}) {
      for (const double q : {0.05, 0.3}) {
        for (const double delta : {0.0, 0.1}) {
          const double p = std::exp(epsilon) * q + delta;
          if (p > 1.0) continue;
          for (const double mix : {0.0, 0.5, 1.0}) {
            const auto start = make(epsilon, delta, 0.2, kBlocks, bets);
            const auto end = enumerate(start, coupled(p, q, mix), kBlocks);
            EXPECT_LE(end.wealth, 1.0 + 1e-12) << epsilon << " " << q << " " << mix;
            EXPECT_GE(end.wealth, 1.0 - 1e-12);  // p is at the boundary: a martingale
            EXPECT_LE(end.certified, 0.2) << epsilon << " " << q << " " << mix;
            const auto inside = enumerate(start, coupled(0.8 * p, q, mix), kBlocks);
            EXPECT_LE(inside.wealth, 1.0);
          }
        }
      }
    }
  }
}

TEST(PairBetting, CommonRandomNumbersCertifyWithFewerPairs) {
  std::array<std::int64_t, 2> blocks{};
  for (const bool common : {false, true}) {
    for (std::uint64_t run = 0; run < 20; ++run) {
      auto test = make(0.2, 0.0, 0.05, 500, PairBets::kBoth);
      ReplayStream random({1, hash_purpose("common"), run, 0});
      while (!test.certified() && test.blocks() < 5000) {
        const double u = random.uniform(), v = common ? u : random.uniform();
        test.observe(u < 0.7 ? 1.0 : 0.0, v < 0.5 ? 1.0 : 0.0);
      }
      EXPECT_TRUE(test.certified());
      blocks[common ? 1 : 0] += test.blocks();
    }
  }
  EXPECT_LT(2 * blocks[1], blocks[0]);
}

TEST(PairBetting, MoreRunsOnQPerBlockCertifyWithFewerBlocks) {
  std::array<std::int64_t, 2> blocks{};
  for (const int k : {1, 8}) {
    for (std::uint64_t run = 0; run < 20; ++run) {
      PairBettingPlan plan{0.05, 2000, PairBets::kBoth, 0.05, k};
      auto test = PairBettingTest::create(Epsilon{1.5}, Delta{0.0}, plan).value();
      ReplayStream random({2, hash_purpose("blocks"), run, 0});
      while (!test.certified() && test.blocks() < 20000) {
        double hits = 0.0;
        for (int j = 0; j < k; ++j) hits += random.uniform() < 0.05 ? 1.0 : 0.0;
        test.observe(random.uniform() < 0.4 ? 1.0 : 0.0, hits / k);
      }
      blocks[k == 1 ? 0 : 1] += test.blocks();
    }
  }
  EXPECT_LT(1.5 * static_cast<double>(blocks[1]), static_cast<double>(blocks[0]));
}

TEST(PairBetting, RefusesPlansOutsideTheirRangeAndSaysSo) {
  const auto message = [](double epsilon, double delta, PairBettingPlan plan) {
    return PairBettingTest::create(Epsilon{epsilon}, Delta{delta}, plan).error().to_string();
  };
  PairBettingPlan good;
  good.horizon = 10;
  EXPECT_EQ(message(-1.0, 0.0, good), "/epsilon: epsilon must lie in [0, 700]");
  EXPECT_EQ(message(1.0, 1.5, good), "/delta: delta must lie in [0, 1]");
  auto plan = good;
  plan.alpha = 0.0;
  EXPECT_EQ(message(1.0, 0.0, plan), "/alpha: alpha must lie in (0, 1)");
  EXPECT_EQ(message(1.0, 0.0, PairBettingPlan{}),
            "/horizon: horizon must be at least 1 unless all bets are online");
  plan = good;
  plan.q_runs = 0;
  EXPECT_EQ(message(1.0, 0.0, plan), "/q_runs: q_runs must be at least 1");
}

}  // namespace
}  // namespace assay
