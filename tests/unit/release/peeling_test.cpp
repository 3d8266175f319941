#include "assay/mechanisms/idealized/peeling.hpp"

#include "assay/mechanisms/accounting/calibrate.hpp"
#include "assay/mechanisms/noisy_max/noisy_max_distribution.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/mechanism_distributions.hpp"

namespace assay {
namespace {

using testing::expect_counts_follow;

ReplayStream peeling_stream(std::uint64_t seed) {
  return ReplayStream({seed, hash_purpose("tests/peeling"), 0, 0, Phase::kCertify});
}

// All ordered pairs of different indices below n.
std::vector<std::vector<std::int64_t>> pairs_of(std::int64_t n) {
  std::vector<std::vector<std::int64_t>> out;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      if (i != j) out.push_back({i, j});
    }
  }
  return out;
}

TEST(Peeling, OrdersSumToOneAndChainNoisyMaxima) {
  const std::vector<double> v{1.0, -3.0, 0.5, 2.0, 0.0};
  const auto mechanism = idealized::PeelingMechanism::create(
                             {.coordinates = 5, .rounds = 2, .values = false, .scale = 0.9})
                             .value();
  double total = 0.0;
  for (const auto& order : pairs_of(5)) total += std::exp(mechanism.log_density({order, {}}, v));
  EXPECT_NEAR(total, 1.0, 1e-13);
  const auto noise = *Laplace::create(0.0, 0.9);
  const double first = noisy_max_log_probability(noise, std::vector{1.0, 3.0, 0.5, 2.0, 0.0}, 1);
  const double second = noisy_max_log_probability(noise, std::vector{1.0, 0.5, 2.0, 0.0}, 2);
  EXPECT_NEAR(mechanism.log_density({{1, 3}, {}}, v), first + second, 1e-14);
}

TEST(Peeling, ValuesAddTheirDensities) {
  const std::vector<double> v{1.0, -3.0, 0.5};
  const idealized::PeelingConfig config{
      .coordinates = 3, .rounds = 2, .values = true, .scale = 2.0};
  auto plain = config;
  plain.values = false;
  const double both =
      idealized::PeelingMechanism::create(config).value().log_density({{1, 0}, {-1.0, 4.0}}, v);
  const double order =
      idealized::PeelingMechanism::create(plain).value().log_density({{1, 0}, {}}, v);
  EXPECT_NEAR(both - order, -(2.0 + 3.0) / 2.0 - 2.0 * std::log(4.0), 1e-13);
}

TEST(Peeling, WhatIsNoOutputHasNoDensity) {
  const std::vector<double> v{1.0, -3.0, 0.5};
  const auto mechanism =
      idealized::PeelingMechanism::create({.coordinates = 3, .rounds = 2}).value();
  for (const idealized::PeelingOutput& output :
       {idealized::PeelingOutput{{1, 1}, {0.0, 0.0}}, idealized::PeelingOutput{{0, 3}, {0.0, 0.0}},
        idealized::PeelingOutput{{-1, 0}, {0.0, 0.0}}, idealized::PeelingOutput{{1}, {0.0}},
        idealized::PeelingOutput{{0, 1}, {}}}) {
    EXPECT_EQ(mechanism.log_density(output, v), -kInfinity);
  }
}

// The lazy draws against the law: many equal coordinates, sizes in several buckets, and sizes beyond
// the last bucket's width.
TEST(Peeling, ReleasesFollowTheDistribution) {
  std::vector<double> equal(6, 1.0);
  std::vector<double> spread{0.0, -1.5, 2.9, 3.0, -3.1, 0.2};
  std::vector<double> wide{0.0, 100.0, 101.0, 99.0, 100.5, 0.0};
  for (const auto& v : {equal, spread, wide}) {
    const auto mechanism = idealized::PeelingMechanism::create(
                               {.coordinates = 6, .rounds = 2, .values = false, .scale = 1.0})
                               .value();
    const auto orders = pairs_of(6);
    std::map<std::vector<std::int64_t>, double> counts;
    auto random = peeling_stream(7);
    constexpr int kDraws = 60000;
    for (int draw = 0; draw < kDraws; ++draw) ++counts[mechanism.release(v, random).indices];
    std::vector<double> observed;
    std::vector<double> distribution;
    for (const auto& order : orders) {
      observed.push_back(counts[order]);
      distribution.push_back(mechanism.log_density({order, {}}, v));
    }
    expect_counts_follow(observed, distribution, kDraws, "orders");
  }
}

// With a thousand coordinates the first chosen follows report noisy max.
TEST(Peeling, TheFirstOfAThousandFollowsNoisyMax) {
  std::vector<double> v(1000);
  for (std::size_t j = 0; j < v.size(); ++j) v[j] = 0.01 * static_cast<double>(j % 700);
  const auto mechanism = idealized::PeelingMechanism::create(
                             {.coordinates = 1000, .rounds = 1, .values = false, .scale = 0.5})
                             .value();
  std::vector<double> counts(v.size(), 0.0);
  auto random = peeling_stream(8);
  constexpr int kDraws = 40000;
  for (int draw = 0; draw < kDraws; ++draw) {
    ++counts[static_cast<std::size_t>(mechanism.release(v, random).indices[0])];
  }
  expect_counts_follow(counts, noisy_max_log_probabilities(*Laplace::create(0.0, 0.5), v), kDraws,
                       "first of a thousand");
}

TEST(Peeling, ValuesAreTheChosenEntriesPlusNoise) {
  const std::vector<double> v{-1000.0, 0.0, 500.0};
  const auto mechanism =
      idealized::PeelingMechanism::create({.coordinates = 3, .rounds = 2, .scale = 1.0}).value();
  auto random = peeling_stream(9);
  double mean = 0.0;
  for (int draw = 0; draw < 2000; ++draw) {
    const auto output = mechanism.release(v, random);
    ASSERT_EQ(output.indices, (std::vector<std::int64_t>{0, 2}));
    mean += (output.values[0] + 1000.0) / 2000.0;
    EXPECT_NEAR(output.values[1], 500.0, 45.0);
  }
  EXPECT_NEAR(mean, 0.0, 5.0 * std::sqrt(2.0 / 2000.0));  // alpha = 6e-7
}

TEST(Peeling, NoNeighbourExceedsThePureLevel) {
  const std::vector<double> v{1.0, -3.0, 0.5, 2.0};
  const auto mechanism =
      idealized::PeelingMechanism::create({.epsilon = 0.7, .coordinates = 4, .rounds = 2}).value();
  EXPECT_DOUBLE_EQ(mechanism.scale(), 6.0 / 0.7);
  auto random = peeling_stream(10);
  for (int draw = 0; draw < 300; ++draw) {
    auto moved = v;
    for (double& x : moved) x += random.next() >> 63 != 0 ? 1.0 : -1.0;
    const auto output = mechanism.release(v, random);
    EXPECT_LE(mechanism.log_density(output, v) - mechanism.log_density(output, moved), 0.7 + 1e-12);
  }
}

TEST(Peeling, TheGuaranteeOfAGivenScaleIsTheCertifiedOne) {
  const idealized::PeelingConfig calibrated{
      .epsilon = 2.0, .delta = 1e-5, .coordinates = 100, .rounds = 10};
  auto given = calibrated;
  given.scale = idealized::PeelingMechanism::create(calibrated).value().scale();
  given.epsilon = 100.0;  // does not enter
  const auto level =
      std::get<ApproximateDp>(idealized::PeelingMechanism::create(given).value().guarantee().level);
  EXPECT_NEAR(level.epsilon.value, 2.0, 1e-5);
  EXPECT_EQ(level.delta.value, 1e-5);
}

// The papers' 2 sqrt(3 s log(1/delta))/epsilon at epsilon = 10, delta = 0.01, s = 10: not certified.
TEST(Peeling, ThePapersScaleIsNotTrustedOutsideItsRange) {
  const double epsilon = 10.0;
  const double scale = 2.0 * std::sqrt(30.0 * std::log(100.0)) / epsilon;
  const auto mechanism =
      idealized::PeelingMechanism::create(
          {.epsilon = epsilon, .delta = 0.01, .coordinates = 400, .rounds = 10, .scale = scale})
          .value();
  EXPECT_GT(std::get<ApproximateDp>(mechanism.guarantee().level).epsilon.value, epsilon);
}

// A scale so small that no certificate is searched for: the sum of the levels, never less.
TEST(Peeling, TheGuaranteeOfATinyScaleIsTheSumOfItsLevels) {
  for (const double delta : {0.0, 1e-6}) {
    const auto mechanism = idealized::PeelingMechanism::create(
        {.delta = delta, .coordinates = 9, .rounds = 4, .scale = 1e-9});
    const auto level = mechanism->guarantee().level;
    const double epsilon = delta == 0.0 ? std::get<PureDp>(level).epsilon.value
                                        : std::get<ApproximateDp>(level).epsilon.value;
    EXPECT_GE(epsilon, 12e9);
    EXPECT_NEAR(epsilon, 12e9, 1.0);
  }
  const auto none = error_of(
      idealized::PeelingMechanism::create({.coordinates = 9, .rounds = 4, .scale = 1e-320}));
  EXPECT_EQ(none.path, "/scale");
}

TEST(Peeling, MoreRoundsThanCoordinatesIsAnError) {
  const auto error = error_of(idealized::PeelingMechanism::create({.coordinates = 3, .rounds = 4}));
  EXPECT_EQ(error.message, "rounds must be 1 to coordinates = 3, not 4");
  EXPECT_EQ(error.path, "/rounds");
}

}  // namespace
}  // namespace assay
