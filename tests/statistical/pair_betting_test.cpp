// Bets on pairs keep their level, and are about as powerful as the exact test: on independent pairs, and
// on pairs of common random numbers as the detector bets on them. alpha = 0.05, fixed seeds.
#include "assay/auditors/statistics/pair_betting.hpp"

#include "assay/mechanisms/core/parallel.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/binomial_limit.hpp"

namespace assay {
namespace {

constexpr int kBettingRuns = 800;

PairBettingTest bets(double epsilon, double delta, std::int64_t horizon) {
  PairBettingPlan plan{.alpha = kAuditAlpha, .horizon = horizon};
  return PairBettingTest::create(Epsilon{epsilon}, Delta{delta}, plan).value();
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
    const auto certified = [&](double p, std::uint64_t lane) {
      return count_runs_in_parallel(kBettingRuns, [&](std::size_t run) {
        auto test = bets(row.epsilon, row.delta, row.pairs);
        ReplayStream random({3, hash_purpose("pair betting"), run, lane});
        for (std::int64_t k = 0; k < row.pairs; ++k) {
          const double of_p = random.uniform() < p ? 1.0 : 0.0;
          test.observe(of_p, random.uniform() < row.q ? 1.0 : 0.0);
        }
        return test.certified();
      });
    };
    const int convicted = certified(row.p, 0);
    const int wrong = certified(std::exp(row.epsilon) * row.q + row.delta, 1);
    EXPECT_GE(convicted, row.least * kBettingRuns) << row.p << " " << row.pairs;
    EXPECT_LE(wrong, binomial_limit(kBettingRuns, kAuditAlpha, 3)) << row.p << " " << row.pairs;
    RecordProperty("power at " + std::to_string(row.pairs), std::to_string(convicted));
  }
}

// As detection.cpp bets: pairs that hit on neither side are passed over, and the horizon is what is
// left of them for certain.
int certified(double epsilon, double p, double q, bool common, std::uint64_t seed) {
  constexpr std::int64_t kPairs = 2000;
  const double hits = kPairs * (p + q - (common ? std::min(p, q) : p * q));
  const auto horizon = static_cast<std::int64_t>(hits - 3.0 * std::sqrt(hits));
  return count_runs_in_parallel(kBettingRuns, [&](std::size_t run) {
    auto test = bets(epsilon, 0.0, horizon);
    ReplayStream random({seed, hash_purpose("pairs that hit"), run, common ? 1u : 0u});
    for (std::int64_t k = 0; k < kPairs && !test.certified(); ++k) {
      const double u = random.uniform(), v = common ? u : random.uniform();
      if (u < p || v < q) test.observe(u < p ? 1.0 : 0.0, v < q ? 1.0 : 0.0);
    }
    return test.certified();
  });
}

TEST(PairBetting, PairsThatHitKeepTheLevelAndCommonRandomNumbersAddPower) {
  const double q = 0.1, p = std::exp(1.0) * q;
  for (const bool common : {false, true}) {
    EXPECT_LE(certified(1.0, p, q, common, 5), binomial_limit(kBettingRuns, kAuditAlpha, 2))
        << common;
  }
  const int with_common = certified(0.8, p, q, true, 4);
  EXPECT_GE(with_common, 0.9 * kBettingRuns);
  EXPECT_GT(with_common, certified(0.8, p, q, false, 4));
}

}  // namespace
}  // namespace assay
