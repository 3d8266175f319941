// The law of a top-k phase, against closed forms, another algorithm, and another quadrature in more
// digits.
#include "assay/auditors/best_arm/top_set_distribution.hpp"

#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/noisy_max/grouped_noisy_max.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

double laplace_set(const std::vector<ArmClass>& classes) {
  return top_set_log_probability(PhaseNoise::kLaplace, classes).value();
}

TEST(TopSetDistribution, OfTwoArmsIsThatOfADifference) {
  for (const double gap : {0.0, 0.3, 5.0, 80.0, 440.0}) {
    // Of two Laplaces of scale 1: P(difference > gap) = e^-gap (2 + gap)/4.
    const double truth = -gap + std::log(0.25 * (2.0 + gap));
    EXPECT_NEAR(laplace_set({{0.0, 1.0, 1, 0}, {gap, 1.0, 0, 1}}), truth, 1e-11) << gap;
    const double normal =
        top_set_log_probability(PhaseNoise::kGaussian,
                                std::vector<ArmClass>{{0.0, 3.0, 1, 0}, {gap, 4.0, 0, 1}})
            .value();
    EXPECT_NEAR(normal, normal_log_ccdf(gap / 5.0), 1e-11 * (1.0 + gap)) << gap;
  }
}

TEST(TopSetDistribution, OfTwoScalesIsThatOfADifference) {
  // P(X_2 - X_1 > g), scales a = 1 and b = 2: (b^2 e^(-g/b) - a^2 e^(-g/a))/(2 (b^2 - a^2)).
  for (const double g : {0.1, 3.0, 50.0, 300.0}) {
    const double truth = std::log((4.0 * std::exp(-g / 2.0) - std::exp(-g)) / 6.0);
    EXPECT_NEAR(laplace_set({{0.0, 2.0, 1, 0}, {g, 1.0, 0, 1}}), truth, 1e-11) << g;
  }
}

TEST(TopSetDistribution, OfTheBestOfAThousandAgreesWithTheDistributionOfNoisyMaxima) {
  const auto noise = Laplace::create(0.0, 1.0).value();
  for (const double mean : {-460.0, -100.0, -7.0, -1.0, 0.0, 0.5, 12.0, 300.0}) {
    const auto known = grouped_noisy_max(
        noise, std::vector{ScoreGroup::fixed(mean, 1.0), ScoreGroup::fixed(0.0, 999.0)});
    EXPECT_NEAR(laplace_set({{mean, 1.0, 1, 0}, {0.0, 1.0, 0, 999}}), known[0], 1e-11) << mean;
    EXPECT_NEAR(laplace_set({{mean, 1.0, 0, 1}, {0.0, 1.0, 1, 998}}), known[1], 1e-11) << mean;
  }
}

// Trapezoids between breaks after x = tanh(sinh), in long doubles, of (1) with products as they
// stand.
long double direct_top_set(const std::vector<ArmClass>& classes) {
  const auto integrand = [&](long double x) {
    long double product = 1.0L, hazards = 0.0L;
    for (const ArmClass& c : classes) {
      const long double z = (x - c.mean) / c.scale;
      const long double tail = 0.5L * std::exp(-std::fabs(z));
      const long double below = z < 0 ? tail : 1.0L - tail, above = z < 0 ? 1.0L - tail : tail;
      product *= std::pow(above, static_cast<long double>(c.inside)) *
                 std::pow(below, static_cast<long double>(c.outside));
      hazards += c.outside * tail / (c.scale * below);
    }
    return product * hazards;
  };
  std::vector<long double> cuts;
  for (const ArmClass& c : classes) cuts.push_back(c.mean);
  std::sort(cuts.begin(), cuts.end());
  const long double low = cuts.front() - 80.0L, high = cuts.back() + 80.0L;
  for (long double x = low; x <= high; x += 0.25L) cuts.push_back(x);
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  long double sum = 0.0L;
  constexpr long double kHalfPi = 1.57079632679489661923L, kStep = 0.125L;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const long double half = 0.5L * (cuts[i + 1] - cuts[i]),
                      middle = 0.5L * (cuts[i] + cuts[i + 1]);
    for (int k = -28; k <= 28; ++k) {
      const long double u = kStep * k, t = std::tanh(kHalfPi * std::sinh(u));
      const long double c = std::cosh(kHalfPi * std::sinh(u));
      sum += half * kStep * kHalfPi * std::cosh(u) / (c * c) * integrand(middle + half * t);
    }
  }
  return sum;
}

TEST(TopSetDistribution, OfAThousandArmsWithOneChangedMeanAgreesWithAnotherQuadratureDownTo1e200) {
  for (const double mean : {-40.0, 0.0, 30.0}) {
    for (const double chosen : {1.0, 500.0, 980.0}) {
      // The last scale is that of arms with one pull less.
      const std::vector<ArmClass> in{
          {mean, 1.0, 1, 0},
          {0.0, 1.0, std::floor(chosen / 2.0), 499 - std::floor(chosen / 2.0)},
          {0.0, 1.125, std::ceil(chosen / 2.0), 500 - std::ceil(chosen / 2.0)}};
      const double direct = static_cast<double>(std::log(direct_top_set(in)));
      EXPECT_NEAR(laplace_set(in), direct, 1e-10) << mean << " " << chosen;
    }
  }
  const std::vector<ArmClass> deep{{0.0, 1.0, 1, 0}, {460.0, 1.0, 0, 999}};
  const double direct = static_cast<double>(std::log(direct_top_set(deep)));
  EXPECT_LT(direct, -460.0);  // 1e-200
  EXPECT_NEAR(laplace_set(deep), direct, 1e-10);
}

TEST(TopSetDistribution, OfAllSetsSumsToOne) {
  for (const auto noise : {PhaseNoise::kLaplace, PhaseNoise::kGaussian}) {
    const double means[] = {0.0, 0.4, -1.0, 3.0, 3.5, 9.0};
    double sum = 0.0;
    for (int set = 0; set < 64; ++set) {
      std::vector<ArmClass> classes;
      for (int i = 0; i < 6; ++i) {
        const double in = (set >> i) & 1;
        classes.push_back({means[i], i % 2 == 0 ? 1.0 : 0.8, in, 1.0 - in});
      }
      const auto count = std::accumulate(classes.begin(), classes.end(), 0.0,
                                         [](double s, const ArmClass& c) { return s + c.inside; });
      if (count == 3.0) sum += std::exp(top_set_log_probability(noise, classes).value());
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

TEST(TopSetDistribution, RefusesMeansTooFarApart) {
  const auto refused = error_of(top_set_log_probability(
      PhaseNoise::kLaplace, std::vector<ArmClass>{{0.0, 1e-6, 1, 0}, {1.0, 1e-6, 0, 1}}));
  EXPECT_EQ(refused.code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace assay
