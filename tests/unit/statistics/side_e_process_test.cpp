// The mixture of constant bets: of every claim an e-value, near the best growth, and a function of counts.
#include "assay/auditors/statistics/side_e_process.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr EventCounts kHitOnP{1, 1, 0, 0}, kMissOnP{0, 1, 0, 0}, kHitOnQ{0, 0, 1, 1},
    kMissOnQ{0, 0, 0, 1};

std::vector<SideClaim> claims() {
  std::vector<SideClaim> out;
  for (const double epsilon : {0.0, 0.01, 1.0, 5.0, 30.0}) {
    for (const double delta : {0.0, 1e-6, 0.3}) {
      out.push_back(SideClaim::approximate(Epsilon{epsilon}, Delta{delta}));
    }
  }
  out.push_back(SideClaim::gaussian(Mu{1.0}, 0.6, 0.2));
  out.push_back(SideClaim::gaussian(Mu{0.1}, 0.999, 0.99));
  return out;
}

// The mean of each gambler's factor, of a play with these probabilities.
double largest_mean(const SideClaim& claim, double guess_p, double guess_q, double p, double q) {
  const auto factor = [&](const EventCounts& play, std::size_t i) {
    return std::exp(bet_on(claim, guess_p, guess_q, play).logs[i]);
  };
  double largest = 0.0;
  for (std::size_t i = 0; i < GamblersWealth::kGamblers; ++i) {
    const double mean = 0.5 * (p * factor(kHitOnP, i) + (1.0 - p) * factor(kMissOnP, i) +
                               q * factor(kHitOnQ, i) + (1.0 - q) * factor(kMissOnQ, i));
    largest = std::max(largest, mean);
  }
  return largest;
}

TEST(SideEProcess, HasMeanAtMostOneWhereverTheClaimHolds) {
  for (const auto& claim : claims()) {
    for (const double guess_p : {0.0, 0.01, 0.5, 1.0}) {
      for (const double guess_q : {0.0, 0.001, 0.4, 1.0}) {
        for (const double q : {0.0, 1e-4, 0.1, 0.5, 0.9, 1.0}) {
          const double most = std::min(1.0, claim.slope * q + claim.offset);
          for (const double p : {most, 0.5 * most, 0.0}) {
            EXPECT_LE(largest_mean(claim, guess_p, guess_q, p, q), 1.0 + 1e-9)
                << claim.slope << " " << claim.offset << " " << p << " " << q;
          }
        }
      }
    }
  }
}

TEST(SideEProcess, HasALargerMeanWhereTheClaimIsFalse) {
  const auto claim = SideClaim::approximate(Epsilon{1.0}, Delta{0.0});
  EXPECT_GT(largest_mean(claim, 0.75, 0.25, 0.75, 0.25), 1.003);
}

TEST(SideEProcess, MultipliesOverRunsInAnyOrder) {
  const auto claim = SideClaim::approximate(Epsilon{0.5}, Delta{0.01});
  const EventCounts counts{30, 70, 11, 65};
  const auto all = bet_on(claim, 0.4, 0.2, counts);
  GamblersWealth one_by_one;
  const auto add = [&](const EventCounts& play, std::int64_t times) {
    for (std::int64_t k = 0; k < times; ++k) one_by_one.add(bet_on(claim, 0.4, 0.2, play));
  };
  add(kMissOnQ, counts.m - counts.y);
  add(kHitOnP, counts.x);
  add(kHitOnQ, counts.y);
  add(kMissOnP, counts.n - counts.x);
  for (std::size_t i = 0; i < GamblersWealth::kGamblers; ++i) {
    EXPECT_NEAR(all.logs[i], one_by_one.logs[i], 1e-11);
  }
}

TEST(SideEProcess, IsTheMeanOfItsGamblers) {
  GamblersWealth wealth;
  EXPECT_DOUBLE_EQ(wealth.log_e_value(), 0.0);
  wealth.logs.fill(-HUGE_VAL);
  EXPECT_EQ(wealth.log_e_value(), -HUGE_VAL);
  wealth.logs[3] = 1000.0;  // e^1000 is no number
  EXPECT_NEAR(wealth.log_e_value(), 1000.0 - std::log(20.0), 1e-9);
}

// Of one seeding alone nothing follows.
TEST(SideEProcess, RefutesByAllRunsAndThoseOfEitherSeeding) {
  GamblersWealth rich, poor;
  rich.logs.fill(std::log(1000.0) + 1e-6);
  ClaimEProcess bets{rich, std::nullopt};
  EXPECT_TRUE(bets.refutes(1e-3, 0.05));
  EXPECT_FALSE(bets.refutes(0.99e-3, 0.05));
  bets.of_seedings = {rich, poor};
  EXPECT_FALSE(bets.refutes(1e-3, 0.05));
  bets.of_seedings = {rich, rich};
  EXPECT_TRUE(bets.refutes(1e-3, 0.05));
  ClaimEProcess lost;
  lost.all.logs.fill(-HUGE_VAL);
  bets.add(lost);
  EXPECT_FALSE(bets.refutes(1e-3, 0.05));
}

// Of the rate of the best bet on the guess's boundary point at least 96% for small violations and nine tenths for
// large ones, and log 20 less in all; by search over all bets.
TEST(SideEProcess, GrowsNearlyAsFastAsTheBestConstantBet) {
  const auto claim = SideClaim::approximate(Epsilon{1.0}, Delta{0.0});
  for (const double epsilon : {1.03, 1.1, 1.5, 3.0}) {
    const double q = 1.0 / (1.0 + std::exp(epsilon)), p = 1.0 - q;
    constexpr double kRuns = 1e6;
    const auto count = [&](double share) {
      return static_cast<std::int64_t>(std::llround(share * kRuns / 2));
    };
    const EventCounts counts{count(p), count(1.0), count(q), count(1.0)};
    const double found = bet_on(claim, p, q, counts).log_e_value();
    const double q0 = most_likely_q(claim, p, q), p0 = std::exp(1.0) * q0, c = std::exp(1.0);
    double best = 0.0;
    for (double bet = 1e-4; bet < 1.0 / (2.0 * std::max(p0, c * (1.0 - q0))); bet *= 1.01) {
      best = std::max(best, 0.5 * kRuns *
                                (p * std::log1p(2.0 * bet * (1.0 - p0)) +
                                 (1.0 - p) * std::log1p(-2.0 * bet * p0) +
                                 q * std::log1p(-2.0 * bet * c * (1.0 - q0)) +
                                 (1.0 - q) * std::log1p(2.0 * bet * c * q0)));
    }
    EXPECT_GE(found, (epsilon < 2.0 ? 0.96 : 0.9) * best - std::log(20.0)) << epsilon;
    EXPECT_LE(found, best + 1.0) << epsilon;
  }
}

}  // namespace
}  // namespace assay
