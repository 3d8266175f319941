// Conversions between privacy levels: closed forms, the direction of rounding, and what is refused.
#include "assay/mechanisms/accounting/conversions.hpp"

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/mpfr_oracle.hpp"

namespace assay {
namespace {

using Big100 = oracle::Digits<100>;

const PrivacyLevel kPure = PureDp{Epsilon{1.0}};
const PrivacyLevel kApproximate = ApproximateDp{Epsilon{1.0}, Delta{1e-6}};
const PrivacyLevel kGaussian = GaussianDp{Mu{1.0}};

// mu = -2 Phi^-1(1/(1 + e^eps)): substituted back into Phi, at 100 digits.
TEST(PureToGaussian, IsTheClosedFormRoundedUp) {
  for (const double eps : {1e-10, 1e-6, 0.01, 0.5, 0.999999, 1.0, 2.0, 10.0, 200.0, 690.0}) {
    const double mu = to_gaussian(PureDp{Epsilon{eps}})->mu.value;
    const Big100 corner = 1 / (1 + exp(Big100(eps)));
    const auto excess = [&](double candidate) {  // below 0 where mu is large enough
      return static_cast<double>(
          (oracle::erfc(Big100(Big100(candidate) / (2 * sqrt(Big100(2))))) / 2 - corner) / corner);
    };
    EXPECT_LE(excess(mu), 0.0) << eps;
    EXPECT_GE(excess(mu * (1.0 - 1e-12)), 0.0) << eps;
  }
}

TEST(PureToGaussian, AgreesWithItselfWhereTheFormulaChanges) {
  const double below = to_gaussian(PureDp{Epsilon{std::nextafter(1.0, 0.0)}})->mu.value;
  const double above = to_gaussian(PureDp{Epsilon{1.0}})->mu.value;
  EXPECT_NEAR(below / above, 1.0, 5e-13);
}

TEST(PureToGaussian, KeepsTheEnds) {
  EXPECT_EQ(to_gaussian(PureDp{Epsilon{0.0}})->mu.value, 0.0);
  EXPECT_EQ(to_gaussian(PureDp{Epsilon{kInfinity}})->mu.value, kInfinity);
  EXPECT_NEAR(to_gaussian(PureDp{Epsilon{1e6}})->mu.value, 2.0 * std::sqrt(2e6), 0.02);
}

// The profile of mu-GDP may not lie below that of the eps-DP it stands for.
TEST(PureToGaussian, ItsProfileCoversThePureOne) {
  for (const double eps : {0.1, 1.0, 5.0}) {
    const Mu mu = to_gaussian(PureDp{Epsilon{eps}})->mu;
    for (double at = 0.0; at < eps; at += eps / 16.0) {
      const double pure = (std::exp(eps) - std::exp(at)) / (1.0 + std::exp(eps));
      EXPECT_GE(gdp_delta(mu, Epsilon{at}).value, pure * (1.0 - 1e-12)) << eps << " " << at;
    }
  }
}

TEST(ApproximateAtEpsilon, OfAPureLevelIsTheProfileOfRandomizedResponse) {
  for (const double at : {0.0, 0.3, 0.9}) {
    const double expected = (std::exp(1.0) - std::exp(at)) / (1.0 + std::exp(1.0));
    EXPECT_NEAR(approximate_at_epsilon(kPure, Epsilon{at}).delta.value, expected, 1e-13);
  }
  EXPECT_EQ(approximate_at_epsilon(kPure, Epsilon{1.0}).delta.value, 0.0);
  EXPECT_EQ(approximate_at_epsilon(kPure, Epsilon{9.0}).delta.value, 0.0);
}

// The conjugate of max(0, 1 - d - e^eps x, e^-eps (1 - d - x)), by brute force over x.
TEST(ApproximateAtEpsilon, OfAnApproximateLevelIsTheConjugateOfItsTradeOff) {
  const double d = 0.05;
  const PrivacyLevel level = ApproximateDp{Epsilon{1.0}, Delta{d}};
  for (const double at : {0.0, 0.4, 0.8, 1.0, 2.0}) {
    double best = d;
    for (int i = 0; i <= 1'000'000; ++i) {
      const double x = i * 1e-6;
      const double type_two =
          std::max({0.0, 1.0 - d - std::exp(1.0) * x, std::exp(-1.0) * (1.0 - d - x)});
      best = std::max(best, 1.0 - type_two - std::exp(at) * x);
    }
    const double delta = approximate_at_epsilon(level, Epsilon{at}).delta.value;
    EXPECT_GE(delta, best - 1e-15) << at;
    EXPECT_NEAR(delta, best, 4e-6) << at;
  }
}

TEST(ApproximateAtEpsilon, OfAGaussianLevelIsItsProfileRoundedUp) {
  const double delta = approximate_at_epsilon(kGaussian, Epsilon{2.0}).delta.value;
  EXPECT_GT(delta, gdp_delta(Mu{1.0}, Epsilon{2.0}).value);
  EXPECT_NEAR(delta / gdp_delta(Mu{1.0}, Epsilon{2.0}).value, 1.0, 1e-12);
  EXPECT_GT(approximate_at_epsilon(kGaussian, Epsilon{1e6}).delta.value, 0.0) << "underflow";
  EXPECT_EQ(approximate_at_epsilon(kGaussian, Epsilon{kInfinity}).delta.value, 0.0);
  EXPECT_EQ(approximate_at_epsilon(GaussianDp{Mu{0.0}}, Epsilon{0.0}).delta.value, 0.0);
}

TEST(ApproximateAtDelta, InvertsApproximateAtEpsilon) {
  for (const PrivacyLevel& level : {kPure, kApproximate, kGaussian}) {
    for (const double eps : {0.0, 0.25, 0.75}) {
      const Delta delta = approximate_at_epsilon(level, Epsilon{eps}).delta;
      EXPECT_NEAR(approximate_at_delta(level, delta)->epsilon.value, eps, 1e-11);
    }
  }
  EXPECT_EQ(approximate_at_delta(kPure, Delta{0.0})->epsilon.value, 1.0);
  EXPECT_EQ(approximate_at_delta(kApproximate, Delta{1e-6})->epsilon.value, 1.0);
  EXPECT_EQ(approximate_at_delta(kApproximate, Delta{1.0})->epsilon.value, 0.0);
}

TEST(ApproximateAtDelta, RefusesADeltaThatTheLevelCannotGive) {
  EXPECT_THAT(approximate_at_delta(kApproximate, Delta{1e-9}),
              IsRefused("delta = 1e-06 implies nothing at a delta below its own"));
  EXPECT_THAT(approximate_at_delta(kGaussian, Delta{0.0}),
              IsRefused("mu = 1 implies no finite eps at delta = 0"));
  EXPECT_THAT(approximate_at_delta(kPure, Delta{1.5}), IsRefused("delta must be in [0, 1]"));
  EXPECT_FALSE(approximate_at_delta(kPure, Delta{std::nan("")}));
}

TEST(ToGaussian, RefusesADeltaAboveZero) {
  EXPECT_EQ(to_gaussian(kGaussian)->mu.value, 1.0);
  EXPECT_EQ(to_gaussian(ApproximateDp{Epsilon{1.0}, {}})->mu, to_gaussian(kPure)->mu);
  EXPECT_THAT(to_gaussian(kApproximate), IsRefused("implies no mu"));
}

TEST(ToPure, RefusesAGaussianOrADeltaAboveZero) {
  EXPECT_EQ(to_pure(kPure)->epsilon.value, 1.0);
  EXPECT_EQ(to_pure(ApproximateDp{Epsilon{1.0}, {}})->epsilon.value, 1.0);
  EXPECT_EQ(to_pure(GaussianDp{Mu{0.0}})->epsilon.value, 0.0);
  EXPECT_THAT(to_pure(kGaussian), IsRefused("no finite eps at delta = 0"));
  EXPECT_THAT(to_pure(kApproximate), IsRefused("no eps at delta = 0"));
}

TEST(LevelText, NamesEveryQuantity) {
  EXPECT_EQ(to_string(kPure), "eps = 1");
  EXPECT_EQ(to_string(kApproximate), "eps = 1, delta = 1e-06");
  EXPECT_EQ(to_string(PrivacyLevel{GaussianDp{Mu{std::sqrt(50.0)}}}), "mu = 7.07107");
  EXPECT_EQ(to_string(Relation::kReplaceOneReward), "replace one reward");
  EXPECT_EQ(to_string(Relation::kOneAnswer), "one answer moves by at most 1");
  EXPECT_EQ(to_string(Relation::kAllAnswers), "every answer moves by at most 1");
  EXPECT_EQ(to_string(View::kAugmentedRelease), "the augmented release");
}

}  // namespace
}  // namespace assay
