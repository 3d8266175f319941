// Renyi curves and zCDP: the closed forms against 50 digits and quadrature, the conversions against
// exact profiles, and what is refused.
#include "assay/mechanisms/accounting/renyi.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

using Big = boost::multiprecision::cpp_bin_float_50;

const std::vector<double> kOrders = {1.0 + 1e-9, 1.0001, 1.1, 1.5, 2.0, 3.5, 10.0, 64.0, 1e3, 1e6};

// At least the exact value, and above it by no more than `slack` of itself.
void expect_just_above(double computed, const Big& exact, double slack, const char* what) {
  EXPECT_GE(Big(computed), exact) << what;
  EXPECT_LE(Big(computed), exact * (1 + Big(slack))) << what;
}

// By its definition: two outputs with odds e^eps.
Big randomized_response_divergence(double eps, double order) {
  const Big p = 1 / (1 + exp(-Big(eps)));
  const Big q = 1 / (1 + exp(Big(eps)));
  const Big a = order;
  return log(pow(p, a) * pow(q, 1 - a) + pow(q, a) * pow(p, 1 - a)) / (a - 1);
}

// By its definition: the integral over the three pieces of two Laplace densities 1 apart.
Big laplace_divergence(double ratio, double order) {
  const Big e = ratio;
  const Big a = order;
  // x < 0: density ratio e^e; x > 1: e^-e; between: e^(e (1 - 2 x)), in units of the sensitivity.
  const Big left = exp(a * e - e) / 2 * 1;
  const Big right = exp(-(a - 1) * e) * exp(-e) / 2;
  // integral from 0 to 1 of e/2 e^(-e x) e^((a - 1)(e - 2 e x)) dx
  const Big rate = e * (2 * a - 1);
  const Big between = e / 2 * exp((a - 1) * e) * (1 - exp(-rate)) / rate;
  return log(left + between + right) / (a - 1);
}

TEST(RenyiCurve, OfPureIsThatOfRandomizedResponse) {
  for (const double eps : {1e-3, 0.1, 1.0, 4.0, 40.0}) {
    for (const double order : kOrders) {
      const Big exact = randomized_response_divergence(eps, order);
      if (order * eps > 1e4) continue;  // more digits than the oracle has
      expect_just_above(to_renyi(PureDp{Epsilon{eps}})->at(order).value.value, exact, 1e-13, "RR");
    }
  }
}

TEST(RenyiCurve, OfPureNeverPassesTheLevel) {
  const RenyiDp curve = *to_renyi(PureDp{Epsilon{2.0}});
  for (const double order : {1e9, 1e200, 1e308}) {
    EXPECT_LE(curve.at(order).value.value, 2.0);
    EXPECT_GE(curve.at(order).value.value, 2.0 - 1e-8);
  }
  EXPECT_EQ(to_renyi(PureDp{})->at(3.0).value.value, 0.0);
  EXPECT_EQ(to_renyi(PureDp{Epsilon{1e300}})->at(3.0).value.value, 1e300);
}

TEST(RenyiCurve, OfLaplaceNoiseIsItsDivergence) {
  for (const double ratio : {0.01, 0.3, 1.0, 5.0, 30.0}) {
    for (const double order : kOrders) {
      if (order * ratio > 1e4) continue;
      // Near order 1 and ratio 0 the difference in the closed form cancels, by 1/ratio.
      expect_just_above(laplace_renyi(Epsilon{ratio})->at(order).value.value,
                        laplace_divergence(ratio, order), 1e-13 + 1e-13 / ratio, "Laplace");
    }
  }
}

TEST(RenyiCurve, OfTinyLaplaceNoiseFallsBackOnThePureOne) {
  for (const double ratio : {1e-4, 1e-8, 1e-12}) {
    for (const double order : {1.5, 4.0, 100.0}) {
      expect_just_above(laplace_renyi(Epsilon{ratio})->at(order).value.value,
                        laplace_divergence(ratio, order), ratio + 1e-8, "tiny");
    }
  }
}

TEST(RenyiCurve, OfAGaussianIsALine) {
  for (const double order : kOrders) {
    expect_just_above(to_renyi(GaussianDp{Mu{0.3}})->at(order).value.value,
                      Big(order) * Big(0.3) * Big(0.3) / 2, 1e-15, "Gaussian");
    expect_just_above(to_renyi(ZeroConcentratedDp{Rho{0.7}})->at(order).value.value,
                      Big(order) * Big(0.7), 1e-15, "zCDP");
  }
}

TEST(RenyiCurve, FromPointsInterpolatesTheMomentAndPromisesNothingBeyond) {
  const std::vector<RenyiPoint> points = {{2.0, Epsilon{1.0}}, {4.0, Epsilon{2.0}}};
  const RenyiDp curve = *renyi_from_points(points);
  EXPECT_EQ(curve.at(2.0).value.value, 1.0);
  EXPECT_NEAR(curve.at(3.0).value.value, (1.0 + 6.0) / 2.0 / 2.0, 1e-14);  // moments 1 and 6
  EXPECT_NEAR(curve.at(1.5).value.value, 1.0, 1e-14);                      // the chord from (1, 0)
  EXPECT_EQ(curve.at(4.0).value.value, 2.0);
  EXPECT_EQ(curve.at(4.0001).value.value, kInfinity);
}

TEST(RenyiCurve, FromPointsOfAMechanismStaysAboveItsOwnCurve) {
  const RenyiDp exact = *laplace_renyi(Epsilon{0.8});
  std::vector<RenyiPoint> points;
  for (const double order : {1.25, 2.0, 3.0, 8.0, 32.0})
    points.push_back({order, exact.at(order).value});
  const RenyiDp table = *renyi_from_points(points);
  for (double order = 1.05; order < 32.0; order *= 1.07) {
    EXPECT_GE(table.at(order).value.value, exact.at(order).value.value * (1 - 1e-14)) << order;
    EXPECT_LE(table.at(order).value.value, points.back().epsilon.value);
  }
}

TEST(RenyiCurve, RefusesBadInput) {
  EXPECT_THAT(to_renyi(PureDp{Epsilon{-1.0}}),
              IsRefused("epsilon must be finite and at least 0, not -1"));
  EXPECT_FALSE(to_renyi(PureDp{Epsilon{kInfinity}}));
  EXPECT_THAT(to_renyi(GaussianDp{Mu{std::nan("")}}), IsRefused("mu must be"));
  EXPECT_EQ(to_renyi(ZeroConcentratedDp{Rho{-0.5}}).error().path, "/rho");
  EXPECT_EQ(laplace_renyi(Epsilon{std::nan("")}).error().path, "/ratio");
  EXPECT_THAT(renyi_from_points({}), IsRefused("points must not be empty"));
  const std::vector<RenyiPoint> falling = {{3.0, Epsilon{1.0}}, {2.0, Epsilon{1.0}}};
  EXPECT_THAT(renyi_from_points(falling),
              IsRefused("points/1/order must be finite and above 3, not 2"));
  const std::vector<RenyiPoint> negative = {{3.0, Epsilon{-1.0}}};
  EXPECT_EQ(renyi_from_points(negative).error().path, "/points/0/epsilon");
  const RenyiDp nothing([](double) { return std::nan(""); });
  EXPECT_EQ(nothing.at(2.0).value.value, kInfinity) << "a NaN promises nothing";
  EXPECT_THAT(renyi_epsilon(nothing, Delta{1e-6}), IsRefused("curve must bound"));
  EXPECT_FALSE(renyi_delta(nothing, Epsilon{1.0}));
  for (const double delta : {0.0, 1.0, -0.1, std::nan("")}) {
    EXPECT_THAT(renyi_epsilon(RenyiDp(), Delta{delta}), IsRefused("delta must be in (0, 1)"));
  }
  EXPECT_EQ(renyi_delta(RenyiDp(), Epsilon{-1.0}).error().path, "/epsilon");
}

// (8) by brute force over orders, in 50 digits: nothing on the grid may be better.
TEST(RenyiToApproximate, FindsTheBestOrder) {
  for (const double delta : {1e-2, 1e-6, 1e-15}) {
    for (const double ratio : {0.05, 0.7, 6.0}) {
      const RenyiDp curve = *laplace_renyi(Epsilon{ratio});
      const double found = renyi_epsilon(curve, Delta{delta})->value.value;
      double best = kInfinity;
      for (double log_beyond = -12.0; log_beyond < 12.0; log_beyond += 5e-2) {
        const double order = 1.0 + std::exp(log_beyond);
        const Big a = order;
        const Big eps = laplace_divergence(ratio, order) + log((a - 1) / a) -
                        (log(Big(delta)) + log(a)) / (a - 1);
        best = std::min(best, eps.convert_to<double>());
      }
      best = std::clamp(best, 0.0, ratio);  // at orders beyond the grid: the pure level
      EXPECT_LE(found, best * (1.0 + 1e-12) + 1e-14) << delta << " " << ratio;
      EXPECT_GE(found, best * (1.0 - 1e-3) - 1e-14) << delta << " " << ratio;
    }
  }
}

TEST(RenyiToApproximate, DeltaAndEpsilonInvertEachOther) {
  const RenyiDp curve = *to_renyi(GaussianDp{Mu{0.9}});
  for (const double delta : {1e-1, 1e-5, 1e-12}) {
    const Epsilon eps = renyi_epsilon(curve, Delta{delta})->value;
    EXPECT_NEAR(renyi_delta(curve, eps)->value.value / delta, 1.0, 1e-9);
  }
}

TEST(RenyiToApproximate, IsTheImprovedOne) {
  // Mironov's original, D_alpha + log(1/delta)/(alpha - 1), at its best order, is
  // rho + 2 sqrt(rho log(1/delta)) for a Gaussian: the improvement has to show.
  const double rho = 0.5;
  const double eps =
      renyi_epsilon(*to_renyi(ZeroConcentratedDp{Rho{rho}}), Delta{1e-6})->value.value;
  const double original = zcdp_epsilon_closed_form(Rho{rho}, Delta{1e-6})->value.value;
  EXPECT_LT(eps, 0.93 * original);
  EXPECT_GT(eps, gdp_epsilon(Mu{1.0}, Delta{1e-6}).value);
}

TEST(Zcdp, OfPureIsTheSupremumOfTheDivergencesOverTheirOrders) {
  for (const double eps : {1e-6, 0.01, 0.5, 1.0, 3.0, 20.0, 500.0}) {
    const double rho = zcdp_rho(PureDp{Epsilon{eps}})->value.value;
    const Big exact = Big(eps) * tanh(Big(eps) / 2);
    expect_just_above(rho, exact, 1e-14, "tanh");
    EXPECT_LE(rho, eps * eps / 2 * (1 + 1e-14));
    for (const double order : kOrders) {
      if (order * eps > 1e4) continue;
      EXPECT_LE(randomized_response_divergence(eps, order), Big(rho) * Big(order)) << order;
    }
    // Tight: near order 1 it is attained.
    if (eps > 100.0) continue;
    EXPECT_GE(randomized_response_divergence(eps, 1.0 + 1e-12), exact * (1 - Big(1e-9)));
  }
}

TEST(Zcdp, OfAGaussianIsHalfTheSquare) {
  expect_just_above(zcdp_rho(GaussianDp{Mu{0.3}})->value.value, Big(0.3) * Big(0.3) / 2, 1e-15,
                    "mu");
  EXPECT_EQ(zcdp_rho(GaussianDp{})->value.value, 0.0);
  EXPECT_THAT(zcdp_rho(GaussianDp{Mu{1e200}}), IsRefused("mu is too large"));
  EXPECT_FALSE(zcdp_rho(PureDp{Epsilon{std::nan("")}}));
}

TEST(Zcdp, DeltaBoundsTheGaussian) {
  for (const double mu : {0.05, 0.5, 1.0, 4.0}) {
    for (const double eps : {0.0, 0.3, 2.0, 9.0, 30.0}) {
      const double rho = zcdp_rho(GaussianDp{Mu{mu}})->value.value;
      const double exact = gdp_delta(Mu{mu}, Epsilon{eps}).value;
      EXPECT_GE(zcdp_delta(Rho{rho}, Epsilon{eps})->value.value, exact) << mu << " " << eps;
    }
  }
  EXPECT_EQ(zcdp_delta(Rho{0.0}, Epsilon{0.0})->value.value, 0.0);
}

// delta <= integral from eps of e^(eps - l) P(L > l) dl with P(L > l) <= e^(-(l - rho)^2/(4 rho)).
TEST(Zcdp, DeltaIsBelowTheIntegralOfTheTail) {
  for (const double rho : {1e-4, 0.01, 0.5, 3.0, 200.0}) {
    for (const double spreads : {0.0, 0.1, 1.0, 4.0, 12.0}) {
      const double eps = rho + spreads * std::sqrt(2.0 * rho);
      const auto tail = [&](double l) {
        return std::exp(eps - l - (l - rho) * (l - rho) / (4 * rho));
      };
      const double reach = rho + 40.0 * std::sqrt(2.0 * rho);
      const double integral = boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
          tail, eps, eps + reach, 12, 1e-13);
      EXPECT_LE(zcdp_delta(Rho{rho}, Epsilon{eps})->value.value, integral * (1 + 1e-10));
    }
  }
}

TEST(Zcdp, EpsilonInvertsDelta) {
  for (const double rho : {1e-4, 0.1, 2.0, 50.0}) {
    for (const double delta : {0.3, 1e-3, 1e-9}) {
      const double eps = zcdp_epsilon(Rho{rho}, Delta{delta})->value.value;
      EXPECT_LE(eps, zcdp_epsilon_closed_form(Rho{rho}, Delta{delta})->value.value);
      EXPECT_GE(eps, gdp_epsilon(Mu{std::sqrt(2 * rho)}, Delta{delta}).value * (1 - 1e-12));
      if (eps > 0.0) {
        EXPECT_NEAR(zcdp_delta(Rho{rho}, Epsilon{eps})->value.value / delta, 1.0, 1e-8);
      }
    }
  }
}

TEST(Zcdp, RefusesBadInput) {
  EXPECT_EQ(zcdp_delta(Rho{-1.0}, Epsilon{1.0}).error().path, "/rho");
  EXPECT_EQ(zcdp_delta(Rho{1.0}, Epsilon{std::nan("")}).error().path, "/epsilon");
  EXPECT_THAT(zcdp_epsilon(Rho{1.0}, Delta{0.0}), IsRefused("delta must be in (0, 1)"));
  EXPECT_FALSE(zcdp_epsilon_closed_form(Rho{kInfinity}, Delta{0.1}));
  EXPECT_EQ(zcdp_rho_from_event(0.5, -1.0).error().path, "/log_p");
  EXPECT_FALSE(zcdp_rho_from_event(-1.0, std::nan("")));
  EXPECT_THAT(zcdp_rho_from_event(-1.0, -kInfinity), IsRefused("no rho allows any other"));
}

TEST(ZcdpFromEvent, NeverPassesTheRhoOfTheMechanismAndComesClose) {
  EXPECT_EQ(zcdp_rho_from_event(-1.0, -1.0)->value.value, 0.0);
  for (const double mu : {0.1, 1.0, 5.0}) {
    double best = 0.0;
    for (double cut = -8.0; cut < 8.0 + mu; cut += 0.25) {
      const double log_p = std::log(0.5 * std::erfc((cut - mu) / std::sqrt(2.0)));
      const double log_q = std::log(0.5 * std::erfc(cut / std::sqrt(2.0)));
      if (!(log_p < -1e-12 && log_q < -1e-12)) continue;
      const double rho = zcdp_rho_from_event(log_p, log_q)->value.value;
      EXPECT_LE(rho, mu * mu / 2) << cut;
      best = std::max(best, rho);
    }
    EXPECT_GT(best, 0.6 * mu * mu / 2) << mu;
  }
  // Randomised response: its one event is everything there is, so the bound is exact.
  const double eps = 1.5;
  const double log_p = -std::log1p(std::exp(-eps));
  const double log_q = -std::log1p(std::exp(eps));
  const double rho = zcdp_rho(PureDp{Epsilon{eps}})->value.value;
  EXPECT_LE(zcdp_rho_from_event(log_p, log_q)->value.value, rho);
  EXPECT_GT(zcdp_rho_from_event(log_p, log_q)->value.value, rho * (1 - 1e-3));
}

}  // namespace
}  // namespace assay
