// Bets on pairs keep their level, and are about as powerful as the exact test: on independent pairs, and
// on pairs of common random numbers as the detector bets on them. alpha = 0.05, fixed seeds.
#include "assay/auditors/statistics/pair_betting.hpp"

#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/binomial_limit.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr int kBettingRuns = 800;

PairBettingTest bets(double epsilon, double delta, std::int64_t horizon) {
  PairBettingPlan plan{.alpha = kAuditAlpha, .horizon = horizon};
  return PairBettingTest::create(Epsilon{epsilon}, Delta{delta}, plan).value();
}

std::int64_t count(const std::vector<int>& certified) {
  return std::count(certified.begin(), certified.end(), 1);
}

struct BettingPowerRow {
  double p, q, epsilon, delta;
  std::int64_t pairs;
  double least;  // power; the exact test of independent runs has 0.78, 0.97 and 0.72
};

TEST(PairBetting, IsAboutAsPowerfulAsTheExactTestAndKeepsItsLevel) {
  for (const auto& row : {BettingPowerRow{0.3, 0.1, 0.9, 0.0, 1600, 0.70},
                          BettingPowerRow{0.3, 0.1, 0.9, 0.0, 3200, 0.90},
                          BettingPowerRow{0.5, 0.02, 2.5, 1e-3, 400, 0.52}}) {
    std::vector<int> convicted(kBettingRuns), wrong(kBettingRuns);
    parallel_for(2, kBettingRuns, [&](std::size_t i) {
      for (const bool truth : {false, true}) {
        const double p = truth ? std::exp(row.epsilon) * row.q + row.delta : row.p;
        auto test = bets(row.epsilon, row.delta, row.pairs);
        ReplayStream random({3, hash_purpose("pair betting"), i, truth ? 1u : 0u});
        for (std::int64_t k = 0; k < row.pairs; ++k) {
          const double of_p = random.uniform() < p ? 1.0 : 0.0;
          test.observe(of_p, random.uniform() < row.q ? 1.0 : 0.0);
        }
        (truth ? wrong : convicted)[i] = test.certified();
      }
    });
    EXPECT_GE(static_cast<double>(count(convicted)), row.least * kBettingRuns)
        << row.p << " " << row.pairs;
    EXPECT_LE(count(wrong), binomial_limit(kBettingRuns, kAuditAlpha, 3))
        << row.p << " " << row.pairs;
    RecordProperty("power at " + std::to_string(row.pairs), std::to_string(count(convicted)));
  }
}

// As detection.cpp bets: pairs that hit on neither side are passed over, and the horizon is what is
// left of them for certain.
bool certifies(double epsilon, double p, double q, bool common, ReplayStream random) {
  constexpr std::int64_t kPairs = 2000;
  const double hits = kPairs * (p + q - (common ? std::min(p, q) : p * q));
  auto test = bets(epsilon, 0.0, static_cast<std::int64_t>(hits - 3.0 * std::sqrt(hits)));
  for (std::int64_t k = 0; k < kPairs && !test.certified(); ++k) {
    const double u = random.uniform(), v = common ? u : random.uniform();
    if (u < p || v < q) test.observe(u < p ? 1.0 : 0.0, v < q ? 1.0 : 0.0);
  }
  return test.certified();
}

TEST(PairBetting, PairsThatHitKeepTheLevelAndCommonRandomNumbersAddPower) {
  const double q = 0.1, p = std::exp(1.0) * q;
  std::int64_t power[2] = {};
  for (const bool common : {false, true}) {
    std::vector<int> convicted(kBettingRuns), wrong(kBettingRuns);
    parallel_for(2, kBettingRuns, [&](std::size_t i) {
      const std::uint64_t lane = common ? 1u : 0u;
      convicted[i] =
          certifies(0.8, p, q, common, ReplayStream({4, hash_purpose("pairs that hit"), i, lane}));
      wrong[i] =
          certifies(1.0, p, q, common, ReplayStream({5, hash_purpose("pairs that hit"), i, lane}));
    });
    power[common ? 1 : 0] = count(convicted);
    EXPECT_LE(count(wrong), binomial_limit(kBettingRuns, kAuditAlpha, 2)) << common;
  }
  EXPECT_GE(static_cast<double>(power[1]), 0.9 * kBettingRuns);
  EXPECT_GT(power[1], power[0]);
}

}  // namespace
}  // namespace assay
