// Laws that hold at every mu and eps: shape of the profile, duality with the trade-off function,
// and the algebra of composition.
#include "assay/mechanisms/accounting/gdp.hpp"

#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

// An eps at which delta_mu(eps) is about Phi(-a) for an a in [-2, highest].
double reachable_epsilon(double mu, double highest) {
  return std::max(0.0, mu * (0.5 * mu + uniform(-2.0, highest)));
}

double slack(double log_delta) { return 2.0 * kGdpRelativeError * std::fabs(log_delta); }

RC_GTEST_PROP(GdpProfile, DecreasesInEpsilon, ()) {
  const double mu = log_uniform(1e-3, 1e3);
  const double eps = reachable_epsilon(mu, 1000.0);
  const double more = eps * (1.0 + log_uniform(1e-6, 1.0));
  const double before = gdp_log_delta(Mu{mu}, Epsilon{eps});
  RC_ASSERT(gdp_log_delta(Mu{mu}, Epsilon{more}) <= before + slack(before));
}

RC_GTEST_PROP(GdpProfile, IncreasesInMu, ()) {
  const double mu = log_uniform(1e-3, 1e3);
  const double eps = reachable_epsilon(mu, 1000.0);
  const double more = mu * (1.0 + log_uniform(1e-9, 1.0));
  const double before = gdp_log_delta(Mu{mu}, Epsilon{eps});
  RC_ASSERT(gdp_log_delta(Mu{more}, Epsilon{eps}) >= before - slack(before));
}

RC_GTEST_PROP(GdpProfile, IsConvexInTheExponentialOfEpsilon, ()) {
  const double mu = log_uniform(1e-3, 30.0);
  const double low = reachable_epsilon(mu, 30.0);
  const double high = low + log_uniform(1e-3, 3.0) * std::min(mu, 1.0);
  const double weight = uniform(0.0, 1.0);
  // e^middle = (1 - weight) e^low + weight e^high
  const double middle = low + portable_log1p(weight * portable_expm1(high - low));
  const double chord = (1.0 - weight) * gdp_delta(Mu{mu}, Epsilon{low}).value +
                       weight * gdp_delta(Mu{mu}, Epsilon{high}).value;
  // The rounding of `middle` moves log delta by at most its slope, below (a + 1)/mu + 1 here.
  const double moved = 1e-15 * (1.0 + middle) * (40.0 / mu + 40.0);
  RC_ASSERT(gdp_delta(Mu{mu}, Epsilon{middle}).value <= chord * (1.0 + 4e-14 + moved));
}

// delta_mu(eps) = max over alpha of 1 - G_mu(alpha) - e^eps alpha: an upper bound at every alpha,
// reached at alpha = Phi(-eps/mu - mu/2).
RC_GTEST_PROP(GdpDuality, TheProfileIsTheConjugateOfTheTradeOff, ()) {
  const double mu = log_uniform(0.01, 5.0);
  const double eps = std::min(reachable_epsilon(mu, 4.0), 8.0);
  const double delta = gdp_delta(Mu{mu}, Epsilon{eps}).value;
  const auto gain = [&](double type_one) {
    return 1.0 - gdp_trade_off(Mu{mu}, type_one) - portable_exp(eps) * type_one;
  };
  RC_ASSERT(gain(uniform(0.0, 1.0)) <= delta + 1e-12);
  RC_ASSERT(std::fabs(gain(normal_ccdf(eps / mu + 0.5 * mu)) - delta) <= 1e-12);
}

// G_mu(alpha) = max over eps of 1 - delta - e^eps alpha and e^-eps (1 - delta - alpha).
RC_GTEST_PROP(GdpDuality, TheTradeOffIsTheConjugateOfTheProfile, ()) {
  const double mu = log_uniform(0.01, 5.0);
  const double type_one = uniform(0.0, 1.0);
  const double type_two = gdp_trade_off(Mu{mu}, type_one);
  const auto lines = [&](double eps) {
    const double kept = 1.0 - gdp_delta(Mu{mu}, Epsilon{eps}).value;
    return std::max(kept - portable_exp(eps) * type_one, portable_exp(-eps) * (kept - type_one));
  };
  RC_ASSERT(lines(uniform(0.0, 8.0)) <= type_two + 1e-12);
  // The slope of G_mu at alpha is -e^eps with eps = mu Phi^-1(1 - alpha) - mu^2/2, or e^-eps.
  RC_PRE(type_one > 0.0 && type_one < 1.0);
  const double slope = std::fabs(mu * normal_ccdf_quantile(type_one) - 0.5 * mu * mu);
  RC_ASSERT(std::fabs(lines(slope) - type_two) <= 1e-11);
}

RC_GTEST_PROP(GdpInverses, AgreeWithEachOther, ()) {
  const double mu = log_uniform(1e-3, 1e3);
  const double eps = reachable_epsilon(mu, 100.0);
  const double log_delta = gdp_log_delta(Mu{mu}, Epsilon{eps});
  RC_PRE(log_delta < -1e-12);
  RC_ASSERT(gdp_epsilon_lower(Mu{mu}, log_delta).value.value <= eps);
  RC_ASSERT(gdp_epsilon_upper(Mu{mu}, log_delta).value.value >= eps);
  RC_ASSERT(gdp_mu_lower(Epsilon{eps}, log_delta).value.value <= mu);
  RC_ASSERT(gdp_mu_upper(Epsilon{eps}, log_delta).value.value >= mu);
}

RC_GTEST_PROP(GdpInverses, MuIncreasesInDelta, ()) {
  const double eps = uniform(0.0, 50.0);
  const double log_delta = -log_uniform(1e-3, 1e4);
  const double less = log_delta * (1.0 + log_uniform(1e-9, 1.0));
  RC_ASSERT(gdp_mu(Epsilon{eps}, less).value <= gdp_mu(Epsilon{eps}, log_delta).value);
}

// No test separates N(0, 1) from N(mu, 1) better than mu says: every event forces at most mu.
RC_GTEST_PROP(GdpEvents, HalfLinesForceMuAndIntervalsForceLess, ()) {
  const double mu = log_uniform(0.1, 10.0);
  const double cut = uniform(-5.0, 5.0);
  const double width = uniform(0.1, 3.0);
  const auto log_interval = [&](double shift) {
    return log_sub_exp(normal_log_ccdf(cut - shift), normal_log_ccdf(cut + width - shift));
  };
  const double interval = mu_from_event_lower(log_interval(mu), log_interval(0.0)).value.value;
  RC_ASSERT(interval <= mu + 1e-9);
}

std::vector<Mu> parts() {
  std::vector<Mu> out;
  const int count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i) out.push_back(Mu{log_uniform(1e-3, 1e3)});
  return out;
}

RC_GTEST_PROP(GdpComposition, IsAssociative, ()) {
  const std::vector<Mu> first = parts();
  const std::vector<Mu> second = parts();
  std::vector<Mu> all = first;
  all.insert(all.end(), second.begin(), second.end());
  const double nested = compose_gdp(std::vector<Mu>{compose_gdp(first), compose_gdp(second)}).value;
  RC_ASSERT(std::fabs(nested / compose_gdp(all).value - 1.0) <= 2e-15);
}

RC_GTEST_PROP(GdpComposition, DoesNotDependOnTheOrder, ()) {
  const std::vector<Mu> forward = parts();
  const std::vector<Mu> backward(forward.rbegin(), forward.rend());
  RC_ASSERT(std::fabs(compose_gdp(backward).value / compose_gdp(forward).value - 1.0) <= 1e-15);
}

RC_GTEST_PROP(GdpComposition, IsMonotone, ()) {
  std::vector<Mu> some = parts();
  const double before = compose_gdp(some).value;
  RC_ASSERT(before >= std::max_element(some.begin(), some.end())->value * (1.0 - 1e-15));
  some.push_back(Mu{log_uniform(1e-3, 1e3)});
  RC_ASSERT(compose_gdp(some).value >= before * (1.0 - 1e-15));
}

}  // namespace
}  // namespace assay
