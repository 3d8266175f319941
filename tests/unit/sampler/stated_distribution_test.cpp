// Distributions as users state them: their names and errors, and every probability against Boost or a sum.
#include "assay/auditors/sampler/stated_distribution.hpp"

#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/extreme_value.hpp>
#include <boost/math/distributions/geometric.hpp>
#include <boost/math/distributions/laplace.hpp>
#include <boost/math/distributions/normal.hpp>

#include "assay/auditors/sampler/fit_events.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

StatedDistribution parsed_stated(const std::string& text) {
  return must(StatedDistribution::parse(text));
}

TEST(StatedDistributions, ReadTheirOwnTextAndTheirExamples) {
  ASSERT_EQ(stated_examples().size(), 9U);
  for (const auto& example : stated_examples()) {
    const auto one = parsed_stated(example);
    EXPECT_EQ(parsed_stated(one.text()).text(), one.text()) << example;
  }
  EXPECT_EQ(parsed_stated("gaussian:sigma=2").text(), "gaussian:location=0,sigma=2");
}

TEST(StatedDistributions, NameTheFieldAndItsRangeInErrors) {
  const std::pair<const char*, const char*> refusals[] = {
      {"laplac:scale=1", "no distribution is called 'laplac'; did you mean 'laplace'?"},
      {"laplace", "laplace needs scale, as in laplace:scale=1"},
      {"laplace:location=1", "laplace needs scale"},
      {"laplace:scale=0", "laplace: scale must be 1e-12 to 1e+12, not 0"},
      {"laplace:scale=x", "scale"},
      {"laplace:sigma=1", "'sigma'"},
      {"laplace:scale", "scale"},
      {"laplace:scale=1,scale=2", "scale"},
      {"exponential:scale=1,location=3", "location"},
      {"gaussian:sigma=-1", "gaussian: sigma must be 1e-12 to 1e+12, not -1"},
      {"uniform:low=1,high=1", "high must be above low = 1, not 1"},
      {"discrete-laplace:scale=1e-3", "scale must be 0.01 to 1e+12, not 0.001"},
      {"discrete-gaussian:sigma=1e6", "sigma must be 0.05 to 1e+05"},
      {"geometric:p=1", "p must be 1e-09 to 0.999999999"},
      {"bernoulli", "bernoulli needs p, as in bernoulli:p=0.5"}};
  for (const auto& [text, message] : refusals) {
    EXPECT_THAT(StatedDistribution::parse(text), IsRefused(message)) << text;
  }
}

template <class Boost>
void expect_those_of_boost(const std::string& text, const Boost& oracle) {
  const auto one = parsed_stated(text);
  for (double q = 1e-12; q < 0.5; q *= 3.0) {
    const double low = one.lower_cut(q), high = one.upper_cut(q);
    const double below = boost::math::cdf(oracle, low);
    const double above = boost::math::cdf(boost::math::complement(oracle, high));
    EXPECT_NEAR(below / q, 1.0, 1e-9) << text << " " << q;
    EXPECT_NEAR(above / q, 1.0, 1e-9) << text << " " << q;
    EXPECT_NEAR(one.at_most(low) / below, 1.0, 1e-11) << text << " " << q;
    EXPECT_NEAR(one.above(high) / above, 1.0, 1e-11) << text << " " << q;
    EXPECT_NEAR(one.between(low, high), 1.0 - below - above, 1e-12) << text << " " << q;
    // A cell deep in a tail keeps its digits.
    EXPECT_NEAR(one.between(high, one.upper_cut(0.5 * q)) / (0.5 * q), 1.0, 1e-9) << text;
  }
}

TEST(StatedDistributions, OfNumbersAreThoseOfBoost) {
  using namespace boost::math;
  expect_those_of_boost("laplace:scale=2,location=3", laplace_distribution<>(3.0, 2.0));
  expect_those_of_boost("gaussian:sigma=0.5,location=-1", normal_distribution<>(-1.0, 0.5));
  expect_those_of_boost("exponential:scale=4", exponential_distribution<>(0.25));
  expect_those_of_boost("gumbel:scale=2,location=1", extreme_value_distribution<>(1.0, 2.0));
  const auto uniform = parsed_stated("uniform:low=-1,high=3");
  EXPECT_EQ(uniform.at_most(0.0), 0.25);
  EXPECT_EQ(uniform.above(0.0), 0.75);
  EXPECT_EQ(uniform.at_most(-2.0), 0.0);
  EXPECT_EQ(uniform.above(4.0), 0.0);
  EXPECT_EQ(uniform.lower_cut(0.25), 0.0);
}

// Weights of whole numbers, from -500 to 500.
void expect_weights(const std::string& text, const std::function<double(int)>& weight) {
  constexpr int kReach = 500;
  const auto one = parsed_stated(text);
  ASSERT_TRUE(one.is_whole());
  double total = 0.0;
  for (int k = -kReach; k <= kReach; ++k) total += weight(k);
  double below = 0.0;
  for (int k = -kReach; k <= kReach; ++k) {
    const double p = weight(k) / total;
    EXPECT_NEAR(one.between(k - 1, k), p, 1e-13) << text << " " << k;
    EXPECT_NEAR(one.below(k), below, 1e-13) << text << " " << k;
    EXPECT_LE(p, one.likeliest_value() * (1.0 + 1e-12)) << text << " " << k;
    below += p;
    EXPECT_NEAR(one.at_most(k), below, 1e-13) << text << " " << k;
    EXPECT_EQ(one.at_most(k + 0.5), one.at_most(k));
  }
  for (const int m : {2, 3, 5}) {
    for (int r = 0; r < m; ++r) {
      double p = 0.0;
      for (int k = -kReach; k <= kReach; ++k) p += ((k % m) + m) % m == r ? weight(k) / total : 0.0;
      EXPECT_NEAR(one.residue(r, m), p, 1e-13) << text << " " << r << " modulo " << m;
    }
  }
  for (const double q : {1e-9, 1e-3, 0.2, 0.5}) {
    const double low = one.lower_cut(q), high = one.upper_cut(q);
    EXPECT_GE(one.at_most(low), q);
    EXPECT_LT(one.below(low), q);
    EXPECT_LE(one.above(high), q);
    EXPECT_GT(one.above(high - 1.0), q);
  }
}

TEST(StatedDistributions, OfWholeNumbersAreThoseOfTheirWeights) {
  expect_weights("discrete-laplace:scale=2", [](int k) { return std::exp(-std::abs(k) / 2.0); });
  expect_weights("discrete-laplace:scale=0.1", [](int k) { return std::exp(-std::abs(k) / 0.1); });
  expect_weights("discrete-gaussian:sigma=3", [](int k) { return std::exp(-k * k / 18.0); });
  expect_weights("discrete-gaussian:sigma=0.2", [](int k) { return std::exp(-k * k / 0.08); });
  expect_weights("geometric:p=0.3", [](int k) { return k < 0 ? 0.0 : std::pow(0.7, k); });
  expect_weights("bernoulli:p=0.3", [](int k) { return k == 0 ? 0.7 : k == 1 ? 0.3 : 0.0; });
}

TEST(StatedDistributions, ScaleWithAFactor) {
  const auto wide = parsed_stated("gaussian:sigma=2,location=1").scaled(1.5);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->text(), "gaussian:location=1,sigma=3");
  EXPECT_FALSE(parsed_stated("bernoulli:p=0.5").scaled(1.5));
  EXPECT_FALSE(parsed_stated("discrete-laplace:scale=0.01").scaled(0.01));  // out of range
}

TEST(FitEvents, DivideTheLineAndKeepTheirProbabilities) {
  for (const auto& example : stated_examples()) {
    for (const double step : {0.0, 0.01}) {
      const auto one = parsed_stated(example);
      if (one.is_whole() && step > 0.0) continue;
      const auto events = fit_events(one, step);
      double total = 0.0, end = -std::numeric_limits<double>::infinity();
      for (const auto& cell : events.cells) {
        EXPECT_EQ(cell.low, end) << example;
        EXPECT_LT(cell.low, cell.high) << example;
        EXPECT_GT(cell.probability, 0.0) << example;
        EXPECT_LE(cell.least, cell.probability) << example;
        EXPECT_GE(cell.most, cell.probability) << example;
        end = cell.high;
        total += cell.probability;
      }
      EXPECT_EQ(end, std::numeric_limits<double>::infinity()) << example;
      EXPECT_NEAR(total, 1.0, 1e-12) << example;
      for (const auto& tail : events.tails) {
        EXPECT_LE(tail.least, tail.probability) << example;
        EXPECT_GE(tail.most, tail.probability) << example;
      }
    }
  }
  EXPECT_EQ(fit_events(parsed_stated("bernoulli:p=0.5"), 0.0).cells.size(), 2U);
  EXPECT_EQ(fit_events(parsed_stated("laplace:scale=1"), 0.0).cells.size(), 74U);
}

// A sample within 0.1 of a draw: the bounds of a cell and of a tail by hand.
TEST(FitEvents, OfRoundedSamplesHaveBoundsOnBothSides) {
  const auto one = parsed_stated("uniform:low=0,high=10");
  const auto events = fit_events(one, 0.1);
  const auto& cell = events.cells[20];
  const double width = cell.high - cell.low;
  EXPECT_NEAR(cell.least, std::max(0.0, (width - 0.2) / 10.0), 1e-8);
  EXPECT_NEAR(cell.most, (width + 0.2) / 10.0, 1e-8);
  const auto& tail = events.tails[0];
  ASSERT_EQ(tail.kind, FitEvent::Kind::kLowerTail);
  EXPECT_NEAR(tail.least, tail.low / 10.0 - 0.01, 1e-8);
  EXPECT_NEAR(tail.most, tail.low / 10.0 + 0.01, 1e-8);
}

}  // namespace
}  // namespace assay
