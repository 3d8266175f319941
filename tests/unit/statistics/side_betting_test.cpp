// Betting on plays whose side is a coin: the wealth
// against every adversary that remembers, by enumeration.
#include "assay/auditors/statistics/side_betting.hpp"

#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

SideBettingPlan make_plan(double alpha, std::int64_t horizon, double online_share) {
  return SideBettingPlan{
      .alpha = alpha, .horizon = horizon, .online_share = online_share, .p = 0.4, .q = 0.1};
}

struct WorstValue {
  double wealth = 0.0;     // the largest expectation,
  double certified = 0.0;  // and the largest probability
};

using SideDistribution = std::pair<double, double>;  // p, q

// Of the adversary who chooses one of the laws before each play, knowing all that went before.
WorstValue worst(const SideBettingTest& test, const std::vector<SideDistribution>& distributions,
                 int runs) {
  if (runs == 0) return {test.wealth(), test.certified() ? 1.0 : 0.0};
  WorstValue then[4];
  for (std::size_t kind = 0; kind < 4; ++kind) {
    SideBettingTest next = test;
    next.observe({kind < 2, kind % 2 == 1});
    then[kind] = worst(next, distributions, runs - 1);
  }
  WorstValue most;
  for (const auto& [p, q] : distributions) {
    const double of[] = {0.5 * (1.0 - p), 0.5 * p, 0.5 * (1.0 - q), 0.5 * q};
    WorstValue value;
    for (std::size_t kind = 0; kind < 4; ++kind) {
      value.wealth += of[kind] * then[kind].wealth;
      value.certified += of[kind] * then[kind].certified;
    }
    most.wealth = std::max(most.wealth, value.wealth);
    most.certified = std::max(most.certified, value.certified);
  }
  return most;
}

// All corners of {p <= c q + delta} and points between: an expectation is affine in (p, q).
std::vector<SideDistribution> allowed_distributions(const SideClaim& claim) {
  std::vector<SideDistribution> distributions = {
      {0.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}, {claim.offset, 0.0}};
  const double at_most = (1.0 - claim.offset) / claim.slope;
  distributions.push_back({1.0, at_most});
  distributions.push_back({claim.slope * 0.3 * at_most + claim.offset, 0.3 * at_most});
  return distributions;
}

TEST(SideBetting, NoAdversaryThatRemembersGainsOnATrueClaim) {
  constexpr int kRuns = 6;
  constexpr double kAlpha = 0.3;  // large enough to be reached in six plays
  for (const double online : {0.0, 0.5, 1.0}) {
    for (const double epsilon : {0.0, 0.7, 2.0}) {
      for (const double delta : {0.0, 0.1}) {
        const auto claim = SideClaim::approximate(Epsilon{epsilon}, Delta{delta});
        const SideBettingTest test(claim, make_plan(kAlpha, kRuns, online));
        const WorstValue most = worst(test, allowed_distributions(claim), kRuns);
        EXPECT_LE(most.wealth, 1.0 + 1e-9) << epsilon << " " << delta << " " << online;
        EXPECT_GE(most.wealth, 1.0 - 1e-9);  // on the boundary: a martingale
        EXPECT_LE(most.certified, kAlpha);
        // Beyond the claim there is something to gain.
        const WorstValue beyond = worst(test, {{1.0, 0.0}}, kRuns);
        EXPECT_GT(beyond.wealth, 1.05);
      }
    }
  }
}

// Laws of the outputs on P and on Q.
using ClassDistribution = std::pair<std::vector<double>, std::vector<double>>;

WorstValue worst_of_classes(const SideBettingTest& test,
                            const std::vector<ClassDistribution>& distributions, int runs) {
  if (runs == 0) return {test.wealth(), test.certified() ? 1.0 : 0.0};
  const std::size_t classes = distributions.front().first.size();
  std::vector<WorstValue> then;
  for (std::size_t kind = 0; kind < 2 * classes; ++kind) {
    SideBettingTest next = test;
    next.observe({kind < classes, false, static_cast<std::uint8_t>(kind % classes)});
    then.push_back(worst_of_classes(next, distributions, runs - 1));
  }
  WorstValue most;
  for (const auto& [p, q] : distributions) {
    WorstValue value;
    for (std::size_t kind = 0; kind < 2 * classes; ++kind) {
      const double of = 0.5 * (kind < classes ? p[kind] : q[kind - classes]);
      value.wealth += of * then[kind].wealth;
      value.certified += of * then[kind].certified;
    }
    most.wealth = std::max(most.wealth, value.wealth);
    most.certified = std::max(most.certified, value.certified);
  }
  return most;
}

TEST(SideBetting, NorIsAnythingGainedByWeighingClassesWhereBothOrdersKeepTheClaim) {
  constexpr int kRuns = 5;
  constexpr double kAlpha = 0.3;
  for (const double epsilon : {0.0, 0.7, 2.0}) {
    for (const double delta : {0.0, 0.1}) {
      const double likely = (1.0 - delta) * std::exp(epsilon) / (1.0 + std::exp(epsilon));
      const double rest = 1.0 - delta - likely;
      std::vector<ClassDistribution> distributions = {
          {{delta, likely, rest, 0.0}, {0.0, rest, likely, delta}},
          {{0.0, rest, likely, delta}, {delta, likely, rest, 0.0}},
          {{likely, rest, delta, 0.0}, {rest, likely, 0.0, delta}},
          {{delta, 0.0, rest, likely}, {0.0, delta, likely, rest}}};
      for (std::size_t k = 0; k < 4; ++k) {
        std::vector<double> one(4, 0.0), another(4, 0.0);
        one[k] = 1.0;
        distributions.push_back({one, one});
        another[k] = 1.0 - delta;
        another[(k + 1) % 4] = delta;
        distributions.push_back({another, one});
        distributions.push_back({one, another});
      }
      const auto claim = SideClaim::approximate(Epsilon{epsilon}, Delta{delta});
      for (const ClassCounts& learnt :
           {ClassCounts{{2.0, 30.0, 5.0, 1.0}, {1.0, 4.0, 28.0, 5.0}, 0.0},
            ClassCounts{{40.0, 9.0, 3.0, 1.0}, {1.0, 2.0, 7.0, 44.0}, 1.0}}) {
        const SideBettingTest test(claim, make_plan(kAlpha, kRuns, 0.5), learnt);
        const WorstValue most = worst_of_classes(test, distributions, kRuns);
        EXPECT_LE(most.wealth, 1.0 + 1e-9) << epsilon << " " << delta;
        EXPECT_LE(most.certified, kAlpha);
        const ClassDistribution beyond = {{1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
        if (learnt.p[0] > 30.0) {
          EXPECT_GT(worst_of_classes(test, {beyond}, kRuns).wealth, 1.02);
        }
      }
    }
  }
}

TEST(SideBetting, NorDoesOneOnTheOtherSideWhoLeaksAsMuchAsFutilityAsks) {
  constexpr int kRuns = 6;
  for (const double epsilon : {0.0, 0.7, 2.0}) {
    const auto claim = SideClaim::approximate(Epsilon{epsilon}, Delta{0.05});
    auto plan = make_plan(0.5, kRuns, 1.0);
    plan.against_more = true;
    const double at_most = (1.0 - claim.offset) / claim.slope;
    const std::vector<SideDistribution> distributions = {
        {1.0, 0.0}, {claim.offset, 0.0}, {1.0, at_most}};
    const WorstValue most = worst(SideBettingTest(claim, plan), distributions, kRuns);
    EXPECT_LE(most.wealth, 1.0 + 1e-9);
    EXPECT_LE(most.certified, 0.5);
    EXPECT_GT(worst(SideBettingTest(claim, plan), {{0.0, 1.0}}, kRuns).wealth, 1.05);
  }
}

TEST(SideBetting, TangentsOfATradeOffLieAboveIt) {
  for (const double mu : {0.1, 1.0, 3.0}) {
    for (const auto& [p, q] : {SideDistribution{0.7, 0.3}, SideDistribution{0.99, 0.01},
                               SideDistribution{0.02, 0.0005}}) {
      const auto line = SideClaim::gaussian(Mu{mu}, p, q);
      for (double at = 1e-6; at < 1.0; at = std::min(1.1 * at, at + 0.01)) {
        const double h = normal_cdf(normal_quantile(at) + mu);
        EXPECT_LE(h, line.slope * at + line.offset + 1e-13) << mu << " " << at;
      }
    }
  }
}

TEST(SideBetting, ATradeOffTooSteepForATangentIsNeverRefuted) {
  const auto line = SideClaim::gaussian(Mu{60.0}, 0.99, 0.95);
  EXPECT_EQ(line.offset, 1.0);
}

TEST(SideBetting, CountsOfABlockMoveTheWealthAsItsRunsDo) {
  const auto claim = SideClaim::approximate(Epsilon{1.0}, Delta{0.0});
  const auto plan = make_plan(1e-6, 100'000, 0.3);
  SideBettingTest one(claim, plan), together(claim, plan);
  ReplayStream random({1, hash_purpose("block counts"), 0, 0});
  for (int i = 0; i < 50'000; ++i) {
    std::array<std::int64_t, 4> counts{};
    for (std::int64_t left = one.block_left(); left > 0; --left) {
      const bool on_p = random.uniform() < 0.5;
      const bool hit = random.uniform() < (on_p ? 0.3 : 0.12);
      one.observe({on_p, hit});
      ++counts[(on_p ? 0U : 2U) + (hit ? 1U : 0U)];
      if (hit && one.hits() <= 256) break;
    }
    i += static_cast<int>(counts[0] + counts[1] + counts[2] + counts[3]) - 1;
    together.observe_counts(counts);
    ASSERT_NEAR(together.wealth() / one.wealth(), 1.0, 1e-9);
  }
  EXPECT_EQ(one.runs(), together.runs());
}

TEST(SideBetting, ALargeClaimIsBetOnWithoutOverflow) {
  const auto claim = SideClaim::approximate(Epsilon{500.0}, Delta{0.0});
  SideBettingTest test(claim, make_plan(1e-3, 2000, 0.1));
  for (int i = 0; i < 2000; ++i) test.observe({i % 2 == 0, i % 4 == 0});
  EXPECT_TRUE(std::isfinite(test.wealth()));
  EXPECT_FALSE(test.certified());
}

// Simulated power against plays drawn one by one.
TEST(SideBetting, WhatIsSaidToBeVisibleIsSeenAsOftenAsSaid) {
  SideBettingPlan plan = make_plan(1e-3, 4000, 0.1);
  plan.p = 0.27;
  const double visible =
      smallest_visible_epsilon(Epsilon{1.0}, Delta{0.0}, 0.19, plan, 0.9, 1).value;
  EXPECT_GT(visible, 1.2);
  EXPECT_LT(visible, 1.5);
  const double q = 0.38 / (1.0 + std::exp(visible)), p = 0.38 - q;
  int seen = 0;
  constexpr int kRuns = 1000;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    ReplayStream random({2, hash_purpose("visible"), run, 0});
    SideBettingTest test(SideClaim::approximate(Epsilon{1.0}, Delta{0.0}), plan);
    for (int i = 0; i < 4000; ++i) {
      const bool on_p = random.uniform() < 0.5;
      test.observe({on_p, random.uniform() < (on_p ? p : q)});
    }
    seen += test.certified() ? 1 : 0;
  }
  EXPECT_GE(seen, 871);  // P(Binomial(1000, 0.9) < 871) = 1.3e-3
  // Of 4,000 runs, about one on each input: no leak is seen in so few.
  EXPECT_EQ(smallest_visible_epsilon(Epsilon{1.0}, Delta{0.0}, 5e-4, plan, 0.9, 1).value, HUGE_VAL);
}

}  // namespace
}  // namespace assay
