

#include "assay/auditors/statistics/profile.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

constexpr UpperBound<Mu> kNoCap{{kInfinity}};

std::vector<double> epsilon_grid(double last, int count) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) out.push_back(last * i / (count - 1));
  return out;
}

std::vector<double> gaussian_deltas(double mu, const std::vector<double>& epsilons) {
  std::vector<double> out;
  for (const double e : epsilons) out.push_back(gdp_delta(Mu{mu}, Epsilon{e}).value);
  return out;
}

// The definition, by a fine scan: the largest mu that any point of the curve above delta_0 needs.
double scanned_mu(const UpperProfile& profile, double delta0, double last) {
  double mu = 0.0;
  constexpr int kPoints = 500;
  for (int i = 0; i <= kPoints; ++i) {
    const Epsilon e{last * i / kPoints};
    const double delta = profile.at(e).value.value;
    if (delta > delta0) mu = std::max(mu, gdp_mu(e, Delta{delta}).value);
  }
  return mu;
}

TEST(UpperProfile, IsTheChordInExpEpsilonBetweenItsPoints) {
  const std::vector<double> epsilons{0.0, 1.0, 2.0};
  const std::vector<double> deltas{0.5, 0.2, 0.1};
  const UpperProfile profile(epsilons, deltas);
  EXPECT_NEAR(profile.at(Epsilon{0.0}).value.value, 0.5, 1e-12);
  EXPECT_NEAR(profile.at(Epsilon{1.0}).value.value, 0.2, 1e-12);
  const double c = (1.0 + std::exp(1.0)) / 2.0;
  EXPECT_NEAR(profile.at(Epsilon{std::log(c)}).value.value, 0.35, 1e-11);
  EXPECT_EQ(profile.at(Epsilon{7.0}).value.value, 0.1);
}

TEST(UpperProfile, StartsFromTheTrivialBoundWhereNoPointIsAtZero) {
  const std::vector<double> epsilons{std::log(3.0)};
  const std::vector<double> deltas{0.2};
  const UpperProfile profile(epsilons, deltas);
  EXPECT_NEAR(profile.at(Epsilon{std::log(2.0)}).value.value, 0.6, 1e-11);
}

TEST(UpperProfile, DropsPointsAboveTheHullOfTheOthers) {
  const std::vector<double> epsilons{0.0, std::log(2.0), std::log(3.0), std::log(4.0)};
  const std::vector<double> deltas{0.4, 0.39, 0.1, 0.3};
  const UpperProfile profile(epsilons, deltas);
  EXPECT_NEAR(profile.at(Epsilon{std::log(2.0)}).value.value, 0.25, 1e-11);
  EXPECT_NEAR(profile.at(Epsilon{std::log(4.0)}).value.value, 0.1, 1e-11);
}

TEST(UpperProfile, LiesAboveAnyConvexCurveThroughItsPoints) {
  for (const double mu : {0.05, 1.0, 4.0, 20.0, 60.0}) {
    const double last = gdp_epsilon(Mu{mu}, Delta{1e-9}).value;  // past 709 for mu = 60
    const auto epsilons = epsilon_grid(last, 13);
    const UpperProfile profile(epsilons, gaussian_deltas(mu, epsilons));
    for (int i = 0; i <= 1000; ++i) {
      const Epsilon e{last * i / 1000.0};
      EXPECT_GE(profile.at(e).value.value, gdp_delta(Mu{mu}, e).value * (1 - 1e-12))
          << "mu " << mu << " eps " << e.value;
    }
  }
}

TEST(UpperProfile, FindsTheMuOfAFinelySampledGaussianProfile) {
  for (const double mu : {0.01, 0.3, 1.0, 5.0, 10.0}) {
    const double last = 1.2 * gdp_epsilon(Mu{mu}, Delta{1e-6}).value;
    const auto epsilons = epsilon_grid(last, 400);
    const double upper =
        mu_upper_from_profile(epsilons, gaussian_deltas(mu, epsilons), Delta{1e-6}, kNoCap)
            .value.value;
    EXPECT_GE(upper, mu);
    EXPECT_LE(upper, mu * 1.01);
  }
}

TEST(UpperProfile, MatchesAScanOfTheDefinitionWhenPointsAreFew) {
  for (const double mu : {0.2, 1.0, 3.0}) {
    for (const int count : {3, 5, 9, 20}) {
      for (const double delta0 : {1e-2, 1e-4, 1e-6}) {
        const double last = gdp_epsilon(Mu{mu}, Delta{delta0 / 4.0}).value;
        const auto epsilons = epsilon_grid(last, count);
        const UpperProfile profile(epsilons, gaussian_deltas(mu, epsilons));
        const double exact = profile.mu_above(Delta{delta0}).value.value;
        const double scanned = scanned_mu(profile, delta0, last);
        EXPECT_GE(exact, scanned * (1 - 1e-10)) << mu << ' ' << count << ' ' << delta0;
        EXPECT_LE(exact, scanned * (1 + 1e-3)) << mu << ' ' << count << ' ' << delta0;
        EXPECT_GE(exact, mu);
      }
    }
  }
}

TEST(UpperProfile, NeedsNothingWhereTheWholeProfileIsBelowDeltaZero) {
  const std::vector<double> epsilons{0.0, 1.0};
  const std::vector<double> deltas{1e-7, 1e-8};
  EXPECT_EQ(mu_upper_from_profile(epsilons, deltas, Delta{1e-6}, kNoCap).value.value, 0.0);
}

TEST(UpperProfile, SaysInfinityWhenItsPointsEndAboveDeltaZeroAndNothingCapsThem) {
  const std::vector<double> epsilons{0.0, 1.0};
  const std::vector<double> deltas{0.4, 1e-3};
  EXPECT_EQ(mu_upper_from_profile(epsilons, deltas, Delta{1e-6}, kNoCap).value.value, kInfinity);
  EXPECT_EQ(mu_upper_from_profile({}, {}, Delta{1e-6}, kNoCap).value.value, kInfinity);
  EXPECT_EQ(mu_upper_from_profile({}, {}, Delta{1e-6}, {{2.0}}).value.value, 2.0);
}

TEST(UpperProfile, TakesTheSmallerOfItsPointsAndTheCap) {
  const auto epsilons = epsilon_grid(4.0, 30);
  const auto deltas = gaussian_deltas(1.0, epsilons);
  const UpperProfile profile(epsilons, deltas, {{1.1}});
  // The points end at delta(4) = 4e-4, above delta_0: up to where the cap's curve reaches delta_0
  // the level part needs a mu of its own, and the cap beats it.
  const double capped = profile.mu_above(Delta{1e-6}).value.value;
  EXPECT_DOUBLE_EQ(capped, 1.1);
  // At delta_0 = 1e-3 the points suffice, and better than the cap.
  const double above = profile.mu_above(Delta{1e-3}).value.value;
  EXPECT_GE(above, 1.0);
  EXPECT_LT(above, 1.02);
  EXPECT_NEAR(profile.at(Epsilon{6.0}).value.value, gdp_delta(Mu{1.1}, Epsilon{6.0}).value, 1e-15);
  EXPECT_EQ(UpperProfile(epsilons, deltas, {{0.5}}).mu_above(Delta{1e-3}).value.value, 0.5);
}

}  // namespace
}  // namespace assay
