// The windowed law of a count of ones: against enumeration, against 60 digits, and its bracket of
// expectations against what the window really changes.
#include "assay/mechanisms/numerics/poisson_binomial.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_dec_float.hpp>

#include "assay/mechanisms/numerics/count_distribution.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/tests/support/repetitions.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Decimal60 = boost::multiprecision::number<boost::multiprecision::cpp_dec_float<60>>;

// Losses of one kind: 0 spread out, 1 near 0, 2 near 1, 3 alike.
std::vector<double> some_probabilities(std::size_t count, int kind) {
  ReplayStream random({.seed = 7, .purpose = hash_purpose("tests/poisson-binomial")});
  std::vector<double> out;
  for (std::size_t t = 0; t < count; ++t) {
    const double u = random.uniform();
    out.push_back(kind == 0 ? u : kind == 1 ? 0.02 * u : kind == 2 ? 1.0 - 1e-3 * u : 0.25);
  }
  return out;
}

std::vector<Decimal60> wide_distribution(std::span<const double> probabilities) {
  std::vector<Decimal60> ones{1};
  for (const double p : probabilities) {
    ones.emplace_back(0);
    for (std::size_t k = ones.size() - 1; k > 0; --k) {
      ones[k] = ones[k] * (1 - Decimal60(p)) + ones[k - 1] * p;
    }
    ones[0] *= 1 - Decimal60(p);
  }
  return ones;
}

constexpr std::size_t kTerms = 700;  // blocks, and sums of blocks

const std::vector<Decimal60>& truth_of(int kind) {
  static std::map<int, std::vector<Decimal60>> distributions;
  auto& distribution = distributions[kind];
  if (distribution.empty()) distribution = wide_distribution(some_probabilities(kTerms, kind));
  return distribution;
}

TEST(PoissonBinomial, IsTheSumOverAllOutcomes) {
  const auto p = some_probabilities(10, 0);
  std::vector<double> truth(11, 0.0);
  for (unsigned bits = 0; bits < 1024; ++bits) {
    double weight = 1.0;
    for (std::size_t t = 0; t < 10; ++t) weight *= (bits >> t & 1U) != 0 ? p[t] : 1.0 - p[t];
    truth[static_cast<std::size_t>(__builtin_popcount(bits))] += weight;
  }
  const auto distribution = poisson_binomial(p, {});
  ASSERT_EQ(distribution.distribution.least, 0);
  ASSERT_EQ(distribution.distribution.weights.size(), 11u);
  for (std::size_t k = 0; k < 11; ++k)
    EXPECT_NEAR(distribution.distribution.weights[k], truth[k], 1e-14 * truth[k]);
}

TEST(PoissonBinomial, OfNothingIsSurelyZero) {
  EXPECT_EQ(poisson_binomial({}, {}), WindowedCount{});
  const double sure[] = {1.0, 0.0, 1.0};
  const auto distribution = poisson_binomial(sure, {});
  EXPECT_EQ(distribution.distribution.least, 2);
  EXPECT_EQ(distribution.distribution.weights, std::vector<double>{1.0});
}

// What moves is at most `relative` of all mass, or `absolute`.
TEST(PoissonBinomial, EveryWeightHasTheStatedErrors) {
  for (const int kind : {0, 1, 2, 3}) {
    if (kSanitized && kind > 1) continue;
    const auto& truth = truth_of(kind);
    for (const double rate : {0.0, 0.5, 5.0}) {
      const auto distribution = poisson_binomial(some_probabilities(kTerms, kind), {.rate = rate});
      const double rounding = distribution.rounding * 0x1p-53;
      EXPECT_LT(rounding, 3e-14);
      ASSERT_GT(distribution.distribution.weights.size(), 10u);
      for (std::size_t k = 0; k < distribution.distribution.weights.size(); ++k) {
        const Decimal60 exact =
            truth[static_cast<std::size_t>(distribution.distribution.least) + k];
        const Decimal60 bound =
            rounding * exact + 2.0 * (distribution.relative + distribution.absolute);
        EXPECT_LE(abs(distribution.distribution.weights[k] - exact), bound)
            << kind << " " << rate << " " << k;
      }
    }
  }
}

// Functions of the count with |log g(k + 1) - log g(k)| <= rate and g <= 1.
std::vector<std::vector<Decimal60>> growing_and_falling(std::size_t count, double rate) {
  std::vector<std::vector<Decimal60>> out(5, std::vector<Decimal60>(count));
  const double most = rate * static_cast<double>(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double x = rate * static_cast<double>(k);
    out[0][k] = exp(Decimal60(-x));
    out[1][k] = exp(Decimal60(x - most));
    out[2][k] = exp(Decimal60(-std::max(0.0, x - 0.4 * most)));
    out[3][k] = exp(Decimal60(-std::max(0.0, 0.6 * most - x)));
    out[4][k] = exp(Decimal60(k % 2 == 0 ? -rate : 0.0));  // neither
  }
  return out;
}

struct Missed {
  double change = 0.0;   // |E g(windowed) - E g|
  double bound = 0.0;    // (2) and the mass moved
  double largest = 0.0;  // change over bound, of all functions
};

Missed missed(const CountWindow& window, int kind) {
  const auto& truth = truth_of(kind);
  const auto distribution = poisson_binomial(some_probabilities(kTerms, kind), window);
  Missed worst;
  for (const auto& g : growing_and_falling(truth.size(), window.rate)) {
    Decimal60 exact = 0;
    Decimal60 windowed = 0;
    for (std::size_t k = 0; k < truth.size(); ++k) exact += truth[k] * g[k];
    for (std::size_t k = 0; k < distribution.distribution.weights.size(); ++k) {
      windowed += distribution.distribution.weights[k] *
                  g[static_cast<std::size_t>(distribution.distribution.least) + k];
    }
    const Decimal60 bound =
        (2.0 * distribution.relative + distribution.rounding * 0x1p-53) * exact +
        2.0 * distribution.absolute;
    const Decimal60 change = abs(windowed - exact);
    const double share = static_cast<double>(change / bound);
    if (share > worst.largest) {
      worst = {static_cast<double>(change / exact), static_cast<double>(bound / exact), share};
    }
  }
  return worst;
}

TEST(PoissonBinomial, WhatTheWindowChangesIsWithinItsBoundForEverySlowFunction) {
  for (const int kind : {0, 1, 2, 3}) {
    if (kSanitized && kind > 1) continue;
    for (const double rate : {0.01, 0.5, 2.0}) {
      for (const double relative : {0x1p-70, 1e-9, 1e-4, 1e-2}) {
        if (kSanitized && relative != 1e-9) continue;
        const auto worst = missed({.rate = rate, .relative = relative}, kind);
        EXPECT_LE(worst.largest, 1.0) << kind << " " << rate << " " << relative;
      }
    }
  }
}

TEST(PoissonBinomial, TheBoundIsNeededAndNotIdle) {
  // With a wide allowance the change exceeds all rounding: a bound that forgot it would be wrong.
  for (const double rate : {0.01, 0.5}) {
    const auto worst = missed({.rate = rate, .relative = 1e-4}, 0);
    EXPECT_GT(worst.change, 1e-7);
  }
  const auto by_mass = missed({.rate = 0.5, .relative = 0.0, .absolute = 1e-5}, 0);
  EXPECT_LE(by_mass.largest, 1.0);
  EXPECT_GT(by_mass.bound, 1e-5);
}

TEST(PoissonBinomial, ANarrowerAllowanceIsAWiderWindow) {
  const auto p = some_probabilities(4000, 0);
  std::size_t width = 0;
  double relative = 1.0;
  for (const double allowance : {1e-3, 1e-6, 1e-12, 0x1p-70}) {
    const auto distribution = poisson_binomial(p, {.rate = 0.1, .relative = allowance});
    EXPECT_GT(distribution.distribution.weights.size(), width);
    EXPECT_LT(distribution.relative, relative);
    EXPECT_GT(distribution.relative, 0.0);
    EXPECT_LE(distribution.relative, 2.0 * 31.0 * allowance);  // two ends of 16 blocks and 15 sums
    width = distribution.distribution.weights.size();
    relative = distribution.relative;
  }
  EXPECT_LT(width, 1000u);
}

TEST(PoissonBinomial, SumsAreThoseOfTheWhole) {
  const auto p = some_probabilities(900, 0);
  const CountWindow window{.rate = 0.5};
  const auto whole = poisson_binomial(p, window);
  const auto one = poisson_binomial(std::span(p).first(1), window);
  const auto sum = sum_of(one, poisson_binomial(std::span(p).subspan(1), window), window);
  const auto at = [](const WindowedCount& distribution, double count) {
    return distribution.distribution
        .weights[static_cast<std::size_t>(count - distribution.distribution.least)];
  };
  const double rounding = (sum.rounding + whole.rounding) * 0x1p-53;
  const double moved = 2.0 * (sum.relative + whole.relative);
  ASSERT_LT(std::max(sum.distribution.least, whole.distribution.least),
            std::min(sum.most(), whole.most()) - 300);
  for (auto k = std::max(sum.distribution.least, whole.distribution.least);
       k <= std::min(sum.most(), whole.most()); ++k) {
    EXPECT_NEAR(at(sum, k), at(whole, k), rounding * at(whole, k) + moved) << k;
  }
}

using Big = boost::multiprecision::cpp_bin_float_50;

TEST(BinomialDistribution, SmallOnesAreThoseOfTheTextbook) {
  const auto distribution = binomial_distribution(4, 0.25);
  EXPECT_EQ(distribution.least, 0.0);
  const double expected[] = {81.0 / 256, 108.0 / 256, 54.0 / 256, 12.0 / 256, 1.0 / 256};
  ASSERT_EQ(distribution.weights.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(distribution.weights[k], expected[k], 1e-16);
}

TEST(BinomialDistribution, WithoutChanceIsOneTerm) {
  EXPECT_EQ(binomial_distribution(7, 0.0), (CountDistribution{0.0, {1.0}}));
  EXPECT_EQ(binomial_distribution(7, 1.0), (CountDistribution{7.0, {1.0}}));
  EXPECT_EQ(binomial_distribution(0, 0.5), (CountDistribution{0.0, {1.0}}));
}

// From the first term up, in 50 digits: the other way round.
TEST(BinomialDistribution, WeightsAreAsAccurateAsStatedAtAnyDepth) {
  for (const std::int64_t n : {1, 64, 1000, 4096}) {
    for (const double p : {0.001, 0.3, 0.5, 0.97}) {
      const auto distribution = binomial_distribution(n, p);
      Big truth = pow(Big(1) - Big(p), Big(n));
      std::size_t compared = 0;
      const double mode = std::floor(static_cast<double>(n + 1) * p);
      for (std::int64_t k = 0; k <= n; ++k) {
        const double at = static_cast<double>(k) - distribution.least;
        if (at >= 0.0 && at < static_cast<double>(distribution.weights.size())) {
          const Big error = distribution.weights[static_cast<std::size_t>(at)] / truth - 1;
          const double steps = std::fabs(static_cast<double>(k) - mode) + 2.0;
          EXPECT_LT(std::fabs(static_cast<double>(error)), 4e-16 * steps + 1e-15) << n << " " << k;
          ++compared;
        } else {
          EXPECT_LT(truth, 3e-308) << n << " " << p << " " << k;
        }
        truth *= Big(n - k) / Big(k + 1) * Big(p) / (1 - Big(p));
      }
      EXPECT_EQ(compared, distribution.weights.size());
    }
  }
}

}  // namespace
}  // namespace assay
