// What certifying single plays of a random side costs beside the exact test of as many
// plays a side: power at the claim that the exact test refutes with probability 0.9. Prints
// the table of docs/benchmarks.md.
#include <cstdio>

#include "assay/auditors/methods/black_box/certify.hpp"
#include "assay/auditors/statistics/exact_test.hpp"
#include "assay/auditors/statistics/side_betting.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/binomial_limit.hpp"

namespace assay {
namespace {

constexpr double kPowerAlpha = 6.8e-4;  // of an audit at 99.9%

struct Row {
  double p, q, delta;
  std::int64_t n;
  double epsilon;  // claimed
  double least;    // of what the exact test's power is lessened by, at most
};

const Row kRows[] = {
    {0.3, 0.1, 0.0, 1000, 0.6518, 0.08},      {0.3, 0.1, 0.0, 10'000, 0.9519, 0.08},
    {0.3, 0.1, 0.0, 100'000, 1.0514, 0.08},   {0.73, 0.27, 0.0, 1000, 0.7610, 0.08},
    {0.73, 0.27, 0.0, 10'000, 0.9181, 0.08},  {0.73, 0.27, 0.0, 100'000, 0.9701, 0.08},
    {0.5, 0.02, 0.0, 1000, 2.3906, 0.08},     {0.5, 0.02, 0.0, 10'000, 2.9234, 0.08},
    {0.5, 0.02, 0.0, 100'000, 3.1214, 0.08},  {1e-3, 1e-5, 0.0, 100'000, 2.0788, 0.14},
    {0.3, 0.1, 0.01, 1000, 0.6129, 0.08},     {0.3, 0.1, 0.01, 10'000, 0.9168, 0.08},
    {0.3, 0.1, 0.01, 100'000, 1.0174, 0.08},  {0.73, 0.27, 0.01, 1000, 0.7469, 0.08},
    {0.73, 0.27, 0.01, 10'000, 0.9042, 0.08}, {0.73, 0.27, 0.01, 100'000, 0.9562, 0.08},
    {0.5, 0.02, 0.01, 1000, 2.3693, 0.08},    {0.5, 0.02, 0.01, 10'000, 2.9035, 0.08},
    {0.5, 0.02, 0.01, 100'000, 3.1011, 0.08}};

double power_of_bets(const Row& row, int runs) {
  const int seen = count_runs_in_parallel(runs, [&](std::size_t run) {
    ReplayStream random({7, hash_purpose("power of bets"), run, 0});
    const SideBettingPlan plan{kPowerAlpha, 2 * row.n, 0.1, row.p, row.q, false};
    SideBettingTest test(SideClaim::approximate(Epsilon{row.epsilon}, Delta{row.delta}), plan);
    for (std::int64_t i = 0; i < 2 * row.n && !test.certified(); ++i) {
      const std::uint64_t word = random.next();
      const bool on_p = (word & 1U) != 0;
      test.observe({on_p, static_cast<double>(word >> 12) * 0x1p-52 < (on_p ? row.p : row.q)});
    }
    return test.certified();
  });
  return seen / static_cast<double>(runs);
}

TEST(SidePower, IsNearlyThatOfTheExactTest) {
  const int runs = 400;
  std::printf("| p | q | delta | plays a side | claim | exact test | bets |\n|-|-|-|-|-|-|-|\n");
  for (const Row& row : kRows) {
    const double exact = exact_test_power(row.n, row.n, kPowerAlpha, Epsilon{row.epsilon},
                                          Delta{row.delta}, row.p, row.q);
    const double bets = power_of_bets(row, row.n > 50'000 ? runs / 2 : runs);
    std::printf("| %g | %g | %g | %lld | %.4f | %.3f | %.3f |\n", row.p, row.q, row.delta,
                static_cast<long long>(row.n), row.epsilon, exact, bets);
    EXPECT_GE(bets, exact - row.least) << row.p << " " << row.n;
  }
}

// What two seedings cost near a claim, of a Gaussian mechanism of mu = 1 (docs/decisions/black-box.md has the table).
TEST(SidePower, TwoSeedingsCostLittleOfIt) {
  constexpr std::int64_t kSamples = 1000;
  constexpr std::size_t kClasses = 17;
  const int runs = 300;
  const auto class_of = [](double x) {
    return static_cast<std::uint8_t>(std::clamp(std::ceil((x + 1.5) / 0.27), 0.0, kClasses - 1.0));
  };
  int whole = 0, divided = 0;
  for (int run = 0; run < runs; ++run) {
    ReplayStream random(
        {11, hash_purpose("power of two seedings"), static_cast<std::uint64_t>(run)});
    const auto draw = [&](bool on_p) {
      return normal_quantile(random.uniform()) + (on_p ? 1.0 : 0.0);
    };
    ClassCounts learnt{std::vector<double>(kClasses), std::vector<double>(kClasses), 1.0};
    for (std::int64_t i = 0; i < kSamples / 3; ++i) {
      learnt.p[class_of(draw(true))] += 1.0;
      learnt.q[class_of(draw(false))] += 1.0;
    }
    BoundPlan plan{true, Delta{0.0}, 0.69, 0.31, kSamples, kPowerAlpha, 0.1, &learnt, true};
    LevelTest test(plan, 0.718);
    bool first = false;
    for (std::int64_t i = 0; i < 2 * kSamples; ++i) {
      if (i % 2 == 0) first = random.uniform() < 0.5;
      const bool on_p = random.uniform() < 0.5;
      const double x = draw(on_p);
      test.observe({on_p, x > 0.5, class_of(x), first == (i % 2 == 0)});
    }
    whole += test.certified_by_all() ? 1 : 0;
    divided += test.certified() ? 1 : 0;
  }
  std::printf("of %d runs all certify in %d, and either seeding too in %d\n", runs, whole, divided);
  EXPECT_GE(whole, runs * 8 / 10);
  EXPECT_LT(divided, whole);
  EXPECT_GE(divided, whole - runs / 10);
}

}  // namespace
}  // namespace assay
