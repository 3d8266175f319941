// Calibrators: enough noise at the scale, not enough just below it, and what is refused.
#include "assay/mechanisms/accounting/calibrate.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

#include "assay/mechanisms/accounting/composition.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/optimal_composition.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/idealized/gaussian_mechanism.hpp"
#include "assay/mechanisms/release/report_noisy_max.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Big = boost::multiprecision::cpp_bin_float_50;

ApproximateDp target(double eps, double delta = 0.0) { return {Epsilon{eps}, Delta{delta}}; }
double scale_value(const CalibratedScale& scale) { return scale->value.value; }

TEST(CalibrateGaussian, IsTheScaleOfTheAnalyticMechanismAndNoLess) {
  for (const double eps : {0.01, 1.0, 20.0}) {
    for (const double delta : {1e-12, 1e-5, 0.1}) {
      const double scale = scale_value(gaussian_scale(target(eps, delta), 3.0));
      EXPECT_LE(gdp_delta(Mu{3.0 / scale}, Epsilon{eps}).value, delta * (1 + 1e-13));
      EXPECT_GT(gdp_delta(Mu{3.0 / (scale * (1 - 1e-10))}, Epsilon{eps}).value, delta);
      const auto mechanism = idealized::GaussianMechanism::create({eps, delta, 3.0});
      EXPECT_EQ(mechanism->noise().scale(), scale);
    }
  }
}

TEST(CalibrateLaplace, IsExactForOneAnswer) {
  EXPECT_NEAR(scale_value(laplace_scale(target(0.5), 2.0, 1)), 4.0, 1e-14);
  EXPECT_GE(Big(scale_value(laplace_scale(target(0.3), 1.0, 1))), 1 / Big(0.3));
  for (const double eps : {0.1, 1.0, 4.0}) {
    for (const double delta : {1e-6, 0.05}) {
      const double scale = scale_value(laplace_scale(target(eps, delta), 1.0, 1));
      const Big exact = 1 / (Big(eps) - 2 * log(1 - Big(delta)));
      EXPECT_GE(Big(scale), exact);
      EXPECT_LE(Big(scale), exact * (1 + Big(1e-14)));
      // For several answers: what holds for every pure mechanism, so a little more noise.
      const double several = scale_value(laplace_scale(target(eps, delta), 1.0, 3));
      EXPECT_GE(several, scale);
      const Big e = log((exp(Big(eps)) + Big(delta)) / (1 - Big(delta)));
      EXPECT_GE(Big(several), 1 / e);
      EXPECT_LE(Big(several), (1 + Big(1e-14)) / e);
    }
  }
}

TEST(CalibrateLaplace, OfAnExactQuotientIsThatQuotient) {
  EXPECT_EQ(scale_value(laplace_scale(target(0.5), 1.0, 1)), 2.0);
  EXPECT_EQ(scale_value(laplace_scale(target(0.5), 3.0, 7)), 6.0);
  EXPECT_EQ(scale_value(noisy_max_scale(target(0.5), MaxNoise::kLaplace, {5, 1.0, false})), 4.0);
  EXPECT_EQ(scale_value(peeling_scale(target(0.25), {10, 1.0, true})), 120.0);
  EXPECT_EQ(scale_value(tree_laplace_scale(target(0.5), 1024, 2.0)), 44.0);
}

// Rounded up, and by less than the double before it.
TEST(CalibrateLaplace, IsTheSmallestDoubleThatServes) {
  for (double eps = 1e-3; eps < 30.0; eps *= 1.173) {
    for (const double sensitivity : {1.0, 0.7, 3.0}) {
      const double scale = scale_value(laplace_scale(target(eps), sensitivity, 1));
      EXPECT_GE(Big(scale) * Big(eps), Big(sensitivity));
      EXPECT_LT(Big(std::nextafter(scale, 0.0)) * Big(eps), Big(sensitivity));
      const double tree = scale_value(tree_laplace_scale(target(eps), 100, sensitivity));
      EXPECT_GE(Big(tree) * Big(eps), 7 * Big(sensitivity));
      EXPECT_LE(Big(tree) * Big(eps), 7 * Big(sensitivity) * (1 + Big(5e-16)));
    }
  }
}

TEST(CalibrateNoisyMax, IsTheScaleOfTheMechanismForAllFiveNoises) {
  const NoisyMaxAnswers five{5, 1.0, false};
  for (const MaxNoise noise : {MaxNoise::kLaplace, MaxNoise::kExponential, MaxNoise::kGumbel,
                               MaxNoise::kDiscreteLaplace}) {
    EXPECT_NEAR(scale_value(noisy_max_scale(target(0.5), noise, five)), 4.0, 1e-14);
    EXPECT_NEAR(scale_value(noisy_max_scale(target(0.5), noise, {5, 1.0, true})), 2.0, 1e-14);
    EXPECT_LT(scale_value(noisy_max_scale(target(0.5, 0.01), noise, five)), 3.96);
  }
  // Integer noise moves by whole steps.
  EXPECT_NEAR(
      scale_value(noisy_max_scale(target(1.0), MaxNoise::kDiscreteLaplace, {5, 0.7, false})), 2.0,
      1e-14);
  EXPECT_NEAR(scale_value(noisy_max_scale(target(1.0), MaxNoise::kLaplace, {5, 0.7, false})), 1.4,
              1e-14);
  const double gaussian =
      scale_value(noisy_max_scale(target(1.0, 1e-6), MaxNoise::kGaussian, five));
  EXPECT_NEAR(gaussian / (std::sqrt(5.0) * scale_value(gaussian_scale(target(1.0, 1e-6), 1.0))),
              1.0, 1e-14);
}

// The exact law of the argmax of Gumbel noise, softmax(q/b),
// on two answers that move against each other.
double worst_gumbel_delta(double b) {
  double worst = 0.0;
  for (double gap = -6.0; gap < 6.0; gap += 0.01) {
    const double p = 1 / (1 + std::exp(-(gap + 2.0) / b));
    const double q = 1 / (1 + std::exp(-gap / b));
    worst = std::max({worst, p - std::exp(1.0) * q, (1 - q) - std::exp(1.0) * (1 - p)});
  }
  return worst;
}

TEST(CalibrateNoisyMax, HoldsForTheExactDistributionOfGumbelNoise) {
  for (const double delta : {0.0, 0.02}) {
    const double b =
        scale_value(noisy_max_scale(target(1.0, delta), MaxNoise::kGumbel, {2, 1.0, false}));
    EXPECT_LE(worst_gumbel_delta(b), delta + 1e-14);
    EXPECT_GT(worst_gumbel_delta(0.5 * b), delta + 1e-3);
  }
}

TEST(CalibratePeeling, IsTheSumAtDeltaZeroAndLessNoiseAbove) {
  EXPECT_NEAR(scale_value(peeling_scale(target(1.0), {10, 1.0, true})), 30.0, 1e-12);
  EXPECT_NEAR(scale_value(peeling_scale(target(1.0), {10, 1.0, false})), 20.0, 1e-12);
  const Peeling fifty{50, 0.5, true};
  const double scale = scale_value(peeling_scale(target(0.5, 1e-5), fifty));
  // Cai, Wang, Zhang (Annals of Statistics, 2021) print 2 D sqrt(3 s log(1/delta))/eps, for
  // eps <= 1/2, delta <= 0.011 and s >= 10.
  EXPECT_LT(scale, 2 * 0.5 * std::sqrt(3 * 50 * std::log(1e5)) / 0.5);
  EXPECT_LT(scale, 0.6 * scale_value(peeling_scale(target(0.5), fifty)));
  // One of the two certificates holds at the scale, and neither just below it.
  const auto certified = [&](double b) {
    const auto whole = OptimalComposition::create({Epsilon{1.5 / b}, {}}, 50);
    const std::vector<RenyiDp> round = {*to_renyi(PureDp{Epsilon{1.0 / b}}),
                                        *laplace_renyi(Epsilon{0.5 / b})};
    const auto curve = compose_repeated(compose(std::span<const RenyiDp>(round)), 50);
    return std::min(whole->delta_at(Epsilon{0.5}).upper.value,
                    renyi_delta(*curve, Epsilon{0.5})->value)
        .value;
  };
  EXPECT_LE(certified(scale), 1e-5 * (1 + 1e-12));
  EXPECT_GT(certified(scale * (1 - 1e-9)), 1e-5);
}

TEST(CalibrateTree, CountsTheLevels) {
  EXPECT_EQ(tree_levels(1), 1);
  EXPECT_EQ(tree_levels(2), 2);
  EXPECT_EQ(tree_levels(1023), 10);
  EXPECT_EQ(tree_levels(1024), 11);
  EXPECT_NEAR(scale_value(tree_laplace_scale(target(0.5), 1024, 2.0)), 44.0, 1e-12);
  const double gaussian = scale_value(tree_gaussian_scale(target(1.0, 1e-6), 1024, 1.0));
  EXPECT_NEAR(gaussian / (std::sqrt(11.0) * scale_value(gaussian_scale(target(1.0, 1e-6), 1.0))),
              1.0, 1e-14);
}

// h independent Laplace noises against delta from below: the loss of h randomised responses made of
// the signs alone is a post-processing, so a scale that its exact profile refutes is too small.
TEST(CalibrateTree, LaplaceScaleIsNeverRefutedBySigns) {
  for (const double delta : {1e-6, 1e-3}) {
    const double b = scale_value(tree_laplace_scale(target(2.0, delta), 1 << 14, 1.0));
    EXPECT_LE(b, scale_value(tree_laplace_scale(target(2.0), 1 << 14, 1.0)));
    // sign(x - 1/2): odds (1 - e^(-1/2b)/2) to e^(-1/2b)/2.
    const double lie = std::exp(-0.5 / b) / 2;
    const auto signs = OptimalComposition::create({Epsilon{std::log((1 - lie) / lie)}, {}}, 15);
    EXPECT_LE(signs->delta_at(Epsilon{2.0}).lower.value.value, delta);
  }
}

TEST(Calibrate, RefusesBadInput) {
  const double nan = std::nan("");
  EXPECT_THAT(gaussian_scale(target(1.0, 1e-6), nan),
              IsRefused("sensitivity must be finite and above 0, not nan"));
  EXPECT_THAT(gaussian_scale(target(1.0), 1.0),
              IsRefused("delta must be in (0, 1) for Gaussian noise, not 0"));
  EXPECT_THAT(gaussian_scale(target(0.0, 1e-6), 1.0),
              IsRefused("epsilon must be finite and above 0, not 0"));
  EXPECT_EQ(laplace_scale(target(1.0, 1.0), 1.0, 1).error().path, "/delta");
  EXPECT_EQ(laplace_scale(target(1.0, -1e-9), 1.0, 1).error().path, "/delta");
  EXPECT_EQ(laplace_scale(target(nan), 1.0, 1).error().path, "/epsilon");
  EXPECT_EQ(laplace_scale(target(1.0), -1.0, 1).error().path, "/sensitivity");
  EXPECT_EQ(laplace_scale(target(1.0), 1.0, 0).error().path, "/answers");
  EXPECT_THAT(laplace_scale(target(1e-300), 1e300, 1), IsRefused("scale for this target"));
  EXPECT_EQ(noisy_max_scale(target(1.0), MaxNoise::kGaussian, {}).error().path, "/delta");
  EXPECT_EQ(noisy_max_scale(target(1.0), MaxNoise::kLaplace, {0, 1.0, false}).error().path,
            "/count");
  EXPECT_EQ(peeling_scale(target(1.0), {100'001, 1.0, true}).error().path, "/rounds");
  EXPECT_EQ(peeling_scale(target(-1.0), {}).error().path, "/epsilon");
  EXPECT_EQ(tree_laplace_scale(target(1.0), 0, 1.0).error().path, "/horizon");
  EXPECT_EQ(tree_gaussian_scale(target(1.0, 1e-6), -5, 1.0).error().path, "/horizon");
}

}  // namespace
}  // namespace assay
