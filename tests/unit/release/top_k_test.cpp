#include "assay/mechanisms/release/top_k.hpp"

#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/noisy_max/internal/top_k_distribution.hpp"
#include "assay/tests/support/mechanism_distributions.hpp"

namespace assay {
namespace {

using testing::expect_counts_follow;
using testing::pure_level;
using testing::total_probability;
using testing::worst_loss;

const std::vector<double> kScores{1.5, 0.0, -2.0, 1.5, 4.0, 0.25};

// Every set of k of n as indices.
std::vector<std::vector<std::int64_t>> sets_of(std::int64_t n, std::int64_t k) {
  const auto sets = TopK::create({.answers = n, .count = k, .ordered = false}).value();
  return sets.outputs(std::vector<double>(static_cast<std::size_t>(n)));
}

TEST(TopKDistribution, SetsOfOneAreReportNoisyMaxForEveryNoise) {
  const MaxNoiseDistribution distributions[] = {
      *Laplace::create(0.0, 0.7), *Exponential::create(1.3), *Gumbel::create(0.0, 0.9),
      *Gaussian::create(0.0, 1.1)};
  for (const auto& scores : {kScores, std::vector<double>{0.0, -60.0, -61.0, -60.0}}) {
    for (const auto& distribution : distributions) {
      const auto logs = noisy_max_log_probabilities(distribution, scores);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const std::int64_t set[] = {static_cast<std::int64_t>(i)};
        EXPECT_NEAR(top_set_log_probability(distribution, scores, set), logs[i],
                    1e-12 + 1e-15 * std::abs(logs[i]))
            << distribution.index() << ", " << i;
      }
    }
  }
}

TEST(TopKDistribution, SetsOfOneAmongManyAreReportNoisyMax) {
  ReplayStream random({3, hash_purpose("tests/top_k"), 0, 0, Phase::kSearch});
  std::vector<double> scores(150);
  for (double& q : scores) q = 6.0 * random.uniform();
  const MaxNoiseDistribution distributions[] = {
      *Laplace::create(0.0, 0.7), *Exponential::create(1.3), *Gumbel::create(0.0, 0.9),
      *Gaussian::create(0.0, 1.1)};
  for (const auto& distribution : distributions) {
    const auto logs = noisy_max_log_probabilities(distribution, scores);
    for (const std::int64_t i : {0, 70, 149}) {
      const std::int64_t set[] = {i};
      EXPECT_NEAR(top_set_log_probability(distribution, scores, set),
                  logs[static_cast<std::size_t>(i)], 1e-12)
          << distribution.index() << ", " << i;
    }
  }
}

TEST(TopKDistribution, SetsSumToOneForEveryNoise) {
  const MaxNoiseDistribution distributions[] = {
      *Laplace::create(0.0, 0.7), *Exponential::create(1.3), *Gumbel::create(0.0, 0.9),
      *Gaussian::create(0.0, 1.1)};
  for (const auto& distribution : distributions) {
    for (const std::int64_t k : {2, 3, 5}) {
      double total = 0.0;
      for (const auto& set : sets_of(6, k)) {
        total += std::exp(top_set_log_probability(distribution, kScores, set));
      }
      EXPECT_NEAR(total, 1.0, 1e-12) << distribution.index() << ", " << k;
    }
  }
}

// All but one: the smallest is the largest of the mirrored scores, for symmetric noise.
TEST(TopKDistribution, AllButOneIsTheMirroredNoisyMax) {
  std::vector<double> mirrored;
  for (const double q : kScores) mirrored.push_back(-q);
  const MaxNoiseDistribution distributions[] = {*Laplace::create(0.0, 0.7),
                                                *Gaussian::create(0.0, 1.1)};
  for (const auto& distribution : distributions) {
    const auto logs = noisy_max_log_probabilities(distribution, mirrored);
    for (std::size_t out = 0; out < kScores.size(); ++out) {
      std::vector<std::int64_t> set;
      for (std::size_t i = 0; i < kScores.size(); ++i) {
        if (i != out) set.push_back(static_cast<std::int64_t>(i));
      }
      EXPECT_NEAR(top_set_log_probability(distribution, kScores, set), logs[out], 1e-12);
    }
  }
}

// Exponential noise, two of three equal scores by symmetry; two at 0 against one at q > 0 in closed
// form: the best two miss 2 exactly if it is below both, P = e^(-q/b)-free: by integration
//   P({0, 1}) = integral over z of f(z) (e^-(z + q))^2 = e^(-2 q)/3.
TEST(TopKDistribution, ClosedFormForExponentialNoise) {
  const auto noise = *Exponential::create(1.0);
  const std::int64_t lower[] = {0, 1};
  for (const double q : {0.0, 0.5, 3.0, 200.0}) {
    const std::vector<double> scores{0.0, 0.0, q};
    EXPECT_NEAR(top_set_log_probability(noise, scores, lower), -2.0 * q - std::log(3.0),
                1e-12 + 1e-15 * q);
  }
}

TEST(TopKDistribution, GumbelOrdersSumToTheirSet) {
  const auto noise = *Gumbel::create(0.0, 0.8);
  std::vector<std::int64_t> order{0, 2, 4};
  double total = 0.0;
  do {
    total += std::exp(top_order_log_probability(noise, kScores, order));
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_NEAR(std::log(total), top_set_log_probability(noise, kScores, order), 1e-13);
  // Large scores lose nothing: only differences matter.
  std::vector<double> shifted;
  for (const double q : kScores) shifted.push_back(q + 0x1p40);
  EXPECT_NEAR(std::log(total), top_set_log_probability(noise, shifted, order), 1e-13);
}

// What a first far above leaves to the others is theirs alone: it must not swallow their differences.
TEST(TopKDistribution, AFirstFarAboveLeavesTheOthersTheirOdds) {
  const auto noise = *Gumbel::create(0.0, 1.0);
  const double odds = -std::log1p(std::exp(-5.0));
  for (const double first : {1e6, 1e10, 1e17, 1e300, 1.7e308}) {
    const std::vector<double> scores{first, 0.0, 5.0};
    EXPECT_NEAR(top_order_log_probability(noise, scores, std::vector<std::int64_t>{0, 2}), odds,
                1e-14);
    EXPECT_NEAR(top_set_log_probability(noise, scores, std::vector<std::int64_t>{0, 2}), odds,
                1e-14);
    EXPECT_NEAR(top_set_log_probability(noise, scores, std::vector<std::int64_t>{0, 1}), odds - 5.0,
                1e-14);
  }
  const std::vector<double> widest{1.7e308, -1.7e308, 0.0, 5.0};
  for (const bool ordered : {true, false}) {
    for (const std::int64_t count : {1, 2, 3, 4}) {
      const auto mechanism =
          TopK::create({.answers = 4, .count = count, .ordered = ordered}).value();
      EXPECT_NEAR(total_probability(mechanism.log_pmf(widest)), 1.0, 1e-13) << count;
    }
  }
}

TEST(TopK, ListsEveryOutputOnceWithProbabilitiesThatSumToOne) {
  for (const bool ordered : {true, false}) {
    for (const std::int64_t k : {1, 2, 3, 6}) {
      const auto mechanism =
          TopK::create({.epsilon = 2.0, .answers = 6, .count = k, .ordered = ordered}).value();
      auto outputs = mechanism.outputs(kScores);
      EXPECT_EQ(static_cast<double>(outputs.size()), mechanism.output_count());
      std::sort(outputs.begin(), outputs.end());
      EXPECT_EQ(std::unique(outputs.begin(), outputs.end()), outputs.end());
      EXPECT_NEAR(total_probability(mechanism.log_pmf(kScores)), 1.0, 1e-13);
    }
  }
}

TEST(TopK, NoNeighbourExceedsThePureLevel) {
  for (const bool ordered : {true, false}) {
    const auto mechanism =
        TopK::create({.epsilon = 0.8, .answers = 6, .count = 3, .ordered = ordered}).value();
    const auto log_p = mechanism.log_pmf(kScores);
    double worst = 0.0;
    for (unsigned up = 0; up < 64; ++up) {
      auto moved = kScores;
      for (std::size_t i = 0; i < 6; ++i) moved[i] += ((up >> i) & 1U) != 0 ? 1.0 : -1.0;
      worst = std::max(worst, worst_loss(log_p, mechanism.log_pmf(moved)));
    }
    EXPECT_LE(worst, pure_level(mechanism.guarantee()) + 1e-12);
    EXPECT_GT(worst, 0.4 * 0.8);  // the bound is of use
  }
}

// The delta of the exact law against the promised one.
TEST(TopK, TheApproximateLevelHoldsOnEnumeratedNeighbours) {
  const auto mechanism =
      TopK::create({.epsilon = 1.0, .delta = 1e-3, .answers = 6, .count = 4}).value();
  EXPECT_GT(mechanism.round_epsilon().value, 0.25);
  const auto log_p = mechanism.log_pmf(kScores);
  for (unsigned up = 0; up < 64; up += 3) {
    auto moved = kScores;
    for (std::size_t i = 0; i < 6; ++i) moved[i] += ((up >> i) & 1U) != 0 ? 1.0 : -1.0;
    const auto log_q = mechanism.log_pmf(moved);
    double delta = 0.0;
    for (std::size_t i = 0; i < log_p.size(); ++i) {
      delta += std::max(0.0, std::exp(log_p[i]) - std::exp(1.0 + log_q[i]));
    }
    EXPECT_LE(delta, 1e-3);
  }
}

TEST(TopK, BoundedRangeDecidesAtManyRounds) {
  const auto level = [](double delta, std::int64_t k) {
    return TopK::create({.epsilon = 1.0, .delta = delta, .answers = 1000, .count = k})
        .value()
        .round_epsilon()
        .value;
  };
  EXPECT_DOUBLE_EQ(level(0.0, 10), 0.1);
  EXPECT_GT(level(1e-6, 100), 0.01);
  // The level is the one that k eps0^2/8-zCDP allows.
  const double rho = 100.0 * level(1e-6, 100) * level(1e-6, 100) / 8.0;
  EXPECT_NEAR(zcdp_epsilon(Rho{rho}, Delta{1e-6})->value.value, 1.0, 1e-6);
}

TEST(TopK, ReleasesFollowTheDistribution) {
  for (const bool ordered : {true, false}) {
    const auto mechanism =
        TopK::create({.epsilon = 2.0, .answers = 6, .count = 2, .ordered = ordered}).value();
    const auto outputs = mechanism.outputs(kScores);
    std::vector<double> counts(outputs.size(), 0.0);
    ReplayStream random({1, hash_purpose("tests/top_k"), 0, 0, Phase::kCertify});
    constexpr int kDraws = 40000;
    for (int draw = 0; draw < kDraws; ++draw) {
      const auto at = std::find(outputs.begin(), outputs.end(), mechanism.release(kScores, random));
      ASSERT_NE(at, outputs.end());
      ++counts[static_cast<std::size_t>(at - outputs.begin())];
    }
    expect_counts_follow(counts, mechanism.log_pmf(kScores), kDraws, ordered ? "orders" : "sets");
  }
}

// Scores so large that the noise is lost in their rounding: the first of equals, in order.
TEST(TopK, TiesGoToTheFirst) {
  const auto mechanism = TopK::create({.answers = 5, .count = 3}).value();
  ReplayStream random({7, hash_purpose("tests/top_k ties"), 0, 0, Phase::kCertify});
  const std::vector<double> scores{0.0, 1e300, 1e300, 1e300, 1e300};
  EXPECT_EQ(mechanism.release(scores, random), (TopK::Output{1, 2, 3}));
}

TEST(TopK, MoreThanThereAreIsAnError) {
  const auto error = error_of(TopK::create({.answers = 3, .count = 4}));
  EXPECT_EQ(error.message, "count must be 1 to answers = 3, not 4");
  EXPECT_EQ(error.path, "/count");
}

}  // namespace
}  // namespace assay
