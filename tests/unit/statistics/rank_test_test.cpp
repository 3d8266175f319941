// The rank test against enumeration of every choice, its published values, and its rate of false alarms.
#include "assay/auditors/statistics/rank_test.hpp"

#include <bit>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/binomial_limit.hpp"

namespace assay {
namespace {

std::vector<double> drawn_values(ReplayStream& words, std::size_t count, std::uint64_t values) {
  std::vector<double> out;
  while (out.size() < count) {
    out.push_back(values == 0 ? words.uniform() : static_cast<double>(words.next() % values));
  }
  return out;
}

double doubled_pairs(const std::vector<double>& x, const std::vector<double>& y) {
  double u = 0.0;
  for (const double a : x) {
    for (const double b : y) u += a < b ? 2.0 : (a == b ? 1.0 : 0.0);
  }
  return u;
}

// Every way to call n of the pooled values y, one by one.
double enumerated_p(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> pooled = x;
  pooled.insert(pooled.end(), y.begin(), y.end());
  const double seen = doubled_pairs(x, y);
  double below = 0.0;
  double above = 0.0;
  double all = 0.0;
  for (std::uint32_t choice = 0; choice < (1u << pooled.size()); ++choice) {
    if (static_cast<std::size_t>(std::popcount(choice)) != y.size()) continue;
    std::vector<double> a;
    std::vector<double> b;
    for (std::size_t i = 0; i < pooled.size(); ++i) {
      ((choice >> i & 1u) != 0 ? b : a).push_back(pooled[i]);
    }
    const double u = doubled_pairs(a, b);
    all += 1.0;
    below += u <= seen ? 1.0 : 0.0;
    above += u >= seen ? 1.0 : 0.0;
  }
  return std::min(1.0, 2.0 * std::min(below, above) / all);
}

TEST(RankTest, IsTheEnumerationOfAllChoicesWithTiesAndUnequalSizes) {
  ReplayStream words({1, hash_purpose("rank-test"), 0, 0});
  for (int round = 0; round < 60; ++round) {
    const std::size_t m = 1 + words.next() % 6;
    const std::size_t n = 1 + words.next() % 6;
    const std::uint64_t values = round % 3 == 0 ? 0 : 1 + words.next() % 5;  // 0: no ties
    const auto x = drawn_values(words, m, values);
    const auto y = drawn_values(words, n, values);
    const RankTest test = rank_test(x, y);
    EXPECT_NEAR(test.p, enumerated_p(x, y), 1e-12) << m << " and " << n << " of " << values;
    EXPECT_EQ(test.u, doubled_pairs(x, y) / 2.0);
  }
}

// P(U <= 17) of 9 and 9 without ties: the critical value at 5%, two-sided, of every table of U.
TEST(RankTest, HasThePublishedCriticalValueOfNineAndNine) {
  std::vector<double> x;
  for (int i = 1; i <= 9; ++i) x.push_back(i);
  const auto with_u = [&](int u) {  // y of which u pairs are above: shift the last ones
    std::vector<double> y;
    for (int i = 0; i < 9; ++i) y.push_back(0.001 * i);
    for (int k = 0; k < 9 && u > 0; ++k) {
      const int steps = std::min(u, 9);
      y[static_cast<std::size_t>(8 - k)] = steps + 0.5 - 0.001 * k;
      u -= steps;
    }
    return y;
  };
  EXPECT_EQ(rank_test(x, with_u(17)).u, 17.0);
  EXPECT_LE(rank_test(x, with_u(17)).p, 0.05);
  EXPECT_GT(rank_test(x, with_u(18)).p, 0.05);
  EXPECT_NEAR(rank_test(x, with_u(0)).p, 2.0 / 48620.0, 1e-15);
  EXPECT_NEAR(rank_test(x, with_u(81)).p, 2.0 / 48620.0, 1e-15);
  EXPECT_TRUE(rank_test(x, with_u(81)).above);
  EXPECT_FALSE(rank_test(x, with_u(0)).above);
}

TEST(RankTest, OfEqualValuesSaysNothing) {
  EXPECT_EQ(rank_test(std::vector<double>(9, 1.0), std::vector<double>(12, 1.0)).p, 1.0);
  EXPECT_EQ(rank_test(std::vector<double>(90, 1.0), std::vector<double>(90, 1.0)).p, 1.0);
}

TEST(RankTest, OfLargeSamplesIsABoundAboveTheExactOne) {
  ReplayStream words({2, hash_purpose("rank-test"), 0, 0});
  auto x = drawn_values(words, 50, 0);
  auto y = drawn_values(words, 50, 0);
  for (double& value : y) value += 0.6;
  const double exact = rank_test(x, y).p;
  y.push_back(*std::max_element(y.begin(), y.end()));  // 101 values
  const double bound = rank_test(x, y).p;
  EXPECT_LT(exact, 1e-6);
  EXPECT_GT(bound, exact);
  EXPECT_LT(bound, 1e-3);
}

// alpha = 1e-3 over the six counts.
TEST(RankTest, CallsLikeSamplesDifferentAsSeldomAsItSays) {
  constexpr int kRounds = 4000;
  ReplayStream words({3, hash_purpose("rank-test"), 0, 0});
  for (const std::uint64_t values : {0u, 4u, 40u}) {
    int at_5 = 0;
    int at_1 = 0;
    for (int i = 0; i < kRounds; ++i) {
      const auto x = drawn_values(words, 9, values);
      const double p = rank_test(x, drawn_values(words, 11, values)).p;
      at_5 += p <= 0.05 ? 1 : 0;
      at_1 += p <= 0.01 ? 1 : 0;
    }
    EXPECT_LE(at_5, binomial_limit(kRounds, 0.05, 6)) << values;
    EXPECT_LE(at_1, binomial_limit(kRounds, 0.01, 6)) << values;
    EXPECT_GE(at_5, kRounds / 50) << "the test has to be able to fail";
  }
}

TEST(Holm, StepsDownUntilTheFirstThatIsLarger) {
  EXPECT_EQ(holm_rejections({0.04, 0.01, 0.03}, 0.05), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(holm_rejections({0.04, 0.01, 0.02}, 0.05), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(holm_rejections({0.02, 0.02, 0.001}, 0.05), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(holm_rejections({0.06}, 0.05), std::vector<bool>{false});
  EXPECT_TRUE(holm_rejections({}, 0.05).empty());
}

}  // namespace
}  // namespace assay
