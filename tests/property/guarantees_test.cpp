// Laws of guarantees at every level: composition is a commutative, associative, monotone sum; no
// path of conversions ends below the exact profile of a mechanism; processing only loses.
#include "assay/mechanisms/accounting/advanced_composition.hpp"
#include "assay/mechanisms/accounting/composition.hpp"
#include "assay/mechanisms/accounting/conversions.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/accounting/optimal_composition.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/accounting/trade_off.hpp"
#include "assay/mechanisms/accounting/zcdp.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

// One number of each kind of level, so that the same laws serve all.
PureDp draw(PureDp) { return {Epsilon{log_uniform(1e-3, 10.0)}}; }
ApproximateDp draw(ApproximateDp) {
  return {Epsilon{log_uniform(1e-3, 10.0)}, Delta{log_uniform(1e-12, 1e-2)}};
}
GaussianDp draw(GaussianDp) { return {Mu{log_uniform(1e-3, 10.0)}}; }
ZeroConcentratedDp draw(ZeroConcentratedDp) { return {Rho{log_uniform(1e-5, 10.0)}}; }

std::vector<double> numbers(const PureDp& x) { return {x.epsilon.value}; }
std::vector<double> numbers(const ApproximateDp& x) { return {x.epsilon.value, x.delta.value}; }
std::vector<double> numbers(const GaussianDp& x) { return {x.mu.value}; }
std::vector<double> numbers(const ZeroConcentratedDp& x) { return {x.rho.value}; }

template <class Level>
bool nearly_equal(const Level& a, const Level& b) {
  const auto x = numbers(a);
  const auto y = numbers(b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::fabs(x[i] - y[i]) > 1e-13 * std::max(x[i], y[i])) return false;
  }
  return true;
}

template <class Level>
Level composed_level(const std::vector<Level>& levels) {
  return *compose(std::span<const Level>(levels));
}

template <class Level>
void check_composition_laws() {
  std::vector<Level> first;
  std::vector<Level> second;
  for (int i = *rc::gen::inRange(1, 9); i > 0; --i) first.push_back(draw(Level{}));
  for (int i = *rc::gen::inRange(1, 9); i > 0; --i) second.push_back(draw(Level{}));
  std::vector<Level> all = first;
  all.insert(all.end(), second.begin(), second.end());
  const Level together = composed_level(all);
  RC_ASSERT(nearly_equal(
      together, composed_level(std::vector<Level>{composed_level(first), composed_level(second)})));
  RC_ASSERT(nearly_equal(together, composed_level(std::vector<Level>(all.rbegin(), all.rend()))));
  const auto more = numbers(together);
  const auto less = numbers(composed_level(first));
  for (std::size_t i = 0; i < more.size(); ++i) RC_ASSERT(more[i] >= less[i]);
  const auto count = *rc::gen::inRange<std::int64_t>(1, 30);
  const std::vector<Level> repeated(static_cast<std::size_t>(count), first.front());
  RC_ASSERT(nearly_equal(composed_level(repeated), *compose_repeated(first.front(), count)));
}

RC_GTEST_PROP(Composition, OfLevelsOfAnyKindIsAMonotoneCommutativeSum, ()) {
  check_composition_laws<PureDp>();
  check_composition_laws<ApproximateDp>();
  check_composition_laws<GaussianDp>();
  check_composition_laws<ZeroConcentratedDp>();
}

RC_GTEST_PROP(Composition, OfRenyiCurvesIsTheSumAtEveryOrder, ()) {
  const std::vector<RenyiDp> parts = {*laplace_renyi(Epsilon{log_uniform(1e-2, 5.0)}),
                                      *to_renyi(draw(PureDp{})), *to_renyi(draw(GaussianDp{}))};
  const double order = 1.0 + log_uniform(1e-3, 1e3);
  double sum = 0.0;
  for (const auto& part : parts) sum += part.at(order).value.value;
  const double together = compose(std::span<const RenyiDp>(parts)).at(order).value.value;
  RC_ASSERT(std::fabs(together - sum) <= 1e-14 * sum);
}

// The chains of conversions below end in a delta at eps; `exact` is what the mechanism really has.
void covers(double delta, double exact) { RC_ASSERT(delta >= exact * (1.0 - 1e-15)); }

double delta_value(const Result<UpperBound<Delta>>& delta) { return delta->value.value; }

RC_GTEST_PROP(Conversions, OfRandomizedResponseNeverFallBelowItsProfile, ()) {
  const PureDp level = draw(PureDp{});
  const double eps = level.epsilon.value;
  const Epsilon at{uniform(0.0, 1.2) * eps};
  const double exact = std::max(0.0, -std::expm1(at.value - eps) / (1.0 + std::exp(-eps)));
  const double slack = 1e-13;
  const auto mu = *to_gaussian(level);
  const Rho rho = zcdp_rho(level)->value;
  const double low = exact - slack * exact;
  RC_ASSERT(delta_value(zcdp_delta(rho, at)) >= low);
  RC_ASSERT(delta_value(zcdp_delta(zcdp_rho(mu)->value, at)) >= low);
  RC_ASSERT(delta_value(renyi_delta(*to_renyi(level), at)) >= low);
  RC_ASSERT(approximate_at_epsilon(mu, at).delta.value >= low);
  // Claimed exact: the profile itself, and through the trade-off curve.
  const double direct = approximate_at_epsilon(level, at).delta.value;
  const double by_curve = trade_off_delta(*trade_off_of(level), at).value.value;
  RC_ASSERT(direct >= low);
  RC_ASSERT(by_curve >= low - 1e-15);
  RC_ASSERT(std::fabs(direct - exact) <= slack);
  RC_ASSERT(std::fabs(by_curve - exact) <= slack);
}

RC_GTEST_PROP(Conversions, OfAGaussianNeverFallBelowItsProfile, ()) {
  const GaussianDp level{Mu{log_uniform(0.01, 6.0)}};
  const double mu = level.mu.value;
  const Epsilon at{std::max(0.0, mu * (0.5 * mu + uniform(-1.0, 6.0)))};
  const double exact = gdp_delta(level.mu, at).value;
  covers(approximate_at_epsilon(level, at).delta.value, exact);
  covers(delta_value(zcdp_delta(zcdp_rho(level)->value, at)), exact);
  covers(delta_value(renyi_delta(*to_renyi(level), at)), exact);
  // (eps, delta) points to a curve and back: every chord lies above the convex profile.
  std::vector<ApproximateDp> points;
  for (double a = -2.0; a < 8.0; a += 0.5) {
    points.push_back(approximate_at_epsilon(level, Epsilon{std::max(0.0, mu * (0.5 * mu + a))}));
  }
  const auto curve = *trade_off_from_profile(points);
  covers(trade_off_delta(curve, at).value.value, exact);
  const double type_one = uniform(0.0, 1.0);
  RC_ASSERT(curve.value.lower_at(type_one) <= gdp_trade_off(level.mu, type_one) + 1e-14);
}

RC_GTEST_PROP(Conversions, OfLaplaceNoiseNeverFallBelowItsProfile, ()) {
  const double ratio = log_uniform(1e-3, 10.0);
  const Epsilon at{uniform(0.0, 1.2) * ratio};
  const double exact = std::max(0.0, -std::expm1(0.5 * (at.value - ratio)));
  const PureDp level{Epsilon{ratio}};
  const double low = exact * (1.0 - 1e-13);
  RC_ASSERT(delta_value(renyi_delta(*laplace_renyi(Epsilon{ratio}), at)) >= low);
  RC_ASSERT(delta_value(renyi_delta(*to_renyi(level), at)) >= low);
  RC_ASSERT(delta_value(zcdp_delta(zcdp_rho(level)->value, at)) >= low);
  RC_ASSERT(approximate_at_epsilon(level, at).delta.value >= low);
  RC_ASSERT(approximate_at_epsilon(*to_gaussian(level), at).delta.value >= low);
  // The mechanism's own curve is the better one.
  const double order = 1.0 + log_uniform(1e-3, 1e3);
  RC_ASSERT(laplace_renyi(Epsilon{ratio})->at(order).value <= to_renyi(level)->at(order).value);
}

// k randomised responses: what every rule of composition promises, against the exact profile.
RC_GTEST_PROP(Conversions, OfComposedRandomizedResponseNeverFallBelowItsProfile, ()) {
  const PureDp each{Epsilon{log_uniform(0.01, 2.0)}};
  const auto count = *rc::gen::inRange<std::int64_t>(1, 60);
  const auto exact = *OptimalComposition::create({each.epsilon, {}}, count);
  const double spread = each.epsilon.value * std::sqrt(static_cast<double>(count));
  const Epsilon at{uniform(0.0, 4.0) * spread};
  const double delta = exact.delta_at(at).lower.value.value;
  const Rho rho = compose_repeated(ZeroConcentratedDp{zcdp_rho(each)->value}, count)->rho;
  covers(delta_value(zcdp_delta(rho, at)), delta);
  covers(delta_value(renyi_delta(*compose_repeated(*to_renyi(each), count), at)), delta);
  const GaussianDp mu = *compose_repeated(*to_gaussian(each), count);
  covers(approximate_at_epsilon(mu, at).delta.value, delta);
  covers(approximate_at_epsilon(*compose_repeated(each, count), at).delta.value, delta);
  const std::vector<ApproximateDp> levels(static_cast<std::size_t>(count),
                                          ApproximateDp{each.epsilon, {}});
  const Delta slack{log_uniform(1e-9, 0.1)};
  const auto advanced = *advanced_composition(levels, slack);
  covers(advanced.delta.value, exact.delta_at(advanced.epsilon).lower.value.value);
}

RC_GTEST_PROP(OptimalCompositionLaws, TheProfileFallsAndIsConvexInTheExponential, ()) {
  const auto whole_of =
      OptimalComposition::create({Epsilon{log_uniform(0.01, 2.0)}, Delta{log_uniform(1e-9, 1e-3)}},
                                 *rc::gen::inRange<std::int64_t>(1, 40));
  const double low = uniform(0.0, 5.0);
  const double high = low + uniform(0.0, 3.0);
  const double weight = uniform(0.0, 1.0);
  const double middle = low + std::log1p(weight * std::expm1(high - low));
  const auto at = [&](double eps) { return whole_of->delta_at(Epsilon{eps}).upper.value.value; };
  RC_ASSERT(at(high) <= at(low) * (1.0 + 1e-12));
  RC_ASSERT(at(middle) <= ((1.0 - weight) * at(low) + weight * at(high)) * (1.0 + 1e-11) + 1e-15);
}

RC_GTEST_PROP(Profiles, FallInEpsilonAndRiseInTheLevel, ()) {
  const Rho rho = draw(ZeroConcentratedDp{}).rho;
  const Rho more{rho.value * uniform(1.0, 2.0)};
  const Epsilon at{uniform(0.0, 20.0)};
  const Epsilon later{at.value + uniform(0.0, 5.0)};
  const double delta = delta_value(zcdp_delta(rho, at));
  RC_ASSERT(delta_value(zcdp_delta(rho, later)) <= delta * (1.0 + 1e-9));
  RC_ASSERT(delta_value(zcdp_delta(more, at)) >= delta * (1.0 - 1e-9));
}

RC_GTEST_PROP(Groups, OfAGaussianNeverFallBelowItsProfile, ()) {
  const GaussianDp level{Mu{log_uniform(0.01, 1.0)}};
  const auto size = *rc::gen::inRange<std::int64_t>(1, 9);
  const Epsilon at{uniform(0.0, 4.0)};
  const Mu moved = for_group(level, size)->mu;
  RC_ASSERT(std::fabs(moved.value - level.mu.value * static_cast<double>(size)) <= 1e-14 * 9);
  const double exact = gdp_delta(Mu{level.mu.value * static_cast<double>(size)}, at).value;
  const ZeroConcentratedDp rho{zcdp_rho(level)->value};
  covers(delta_value(zcdp_delta(for_group(rho, size)->rho, at)), exact);
  covers(delta_value(renyi_delta(*for_group(*to_renyi(level), size), at)), exact);
  const auto one = approximate_at_epsilon(level, Epsilon{at.value / static_cast<double>(size)});
  const auto group = for_group(one, size);
  if (!group) return;  // delta reached 1, which promises nothing
  covers(group->delta.value,
         gdp_delta(Mu{level.mu.value * static_cast<double>(size)}, group->epsilon).value);
}

// Laws of up to 8 outputs, as likelihood-ratio tests.
struct FinitePair {
  std::vector<double> p, q;
};

std::vector<TradeOffVertex> best_tests(const FinitePair& pair) {
  std::vector<std::size_t> order(pair.p.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return pair.q[i] * pair.p[j] > pair.q[j] * pair.p[i];
  });
  std::vector<TradeOffVertex> points;
  double x = 0.0;
  double power = 0.0;
  for (const std::size_t i : order) {
    x += pair.p[i];
    power += pair.q[i];
    points.push_back({std::min(1.0, x), std::max(0.0, 1.0 - power)});
  }
  return points;
}

RC_GTEST_PROP(PostProcessing, NeverLowersATradeOffCurveNorRaisesAProfile, ()) {
  const auto outputs = *rc::gen::inRange<std::size_t>(2, 9);
  FinitePair pair;
  for (auto* distribution : {&pair.p, &pair.q}) {
    double total = 0.0;
    for (std::size_t i = 0; i < outputs; ++i)
      total += (distribution->push_back(log_uniform(1e-3, 1.0)), distribution->back());
    for (double& probability : *distribution) probability /= total;
  }
  FinitePair processed{std::vector<double>(3, 0.0), std::vector<double>(3, 0.0)};
  for (std::size_t i = 0; i < outputs; ++i) {
    const double first = uniform(0.0, 1.0);
    const double second = (1.0 - first) * uniform(0.0, 1.0);
    const double kernel[] = {first, second, 1.0 - first - second};
    for (std::size_t j = 0; j < 3; ++j) {
      processed.p[j] += pair.p[i] * kernel[j];
      processed.q[j] += pair.q[i] * kernel[j];
    }
  }
  const auto before = *trade_off_from_tests(best_tests(pair));
  const auto after = *trade_off_from_tests(best_tests(processed));
  const double x = uniform(0.0, 1.0);
  RC_ASSERT(after.value.lower_at(x) >= before.value.lower_at(x) - 1e-14);
  const Epsilon at{uniform(0.0, 3.0)};
  const double lost = trade_off_delta(before, at).value.value;
  RC_ASSERT(trade_off_delta(after, at).value.value <= lost + 1e-13);
  // The profile of the curve is the one of the laws: sum of the positive parts of q - e^eps p.
  double exact = 0.0;
  for (std::size_t i = 0; i < outputs; ++i) {
    exact += std::max(0.0, pair.q[i] - std::exp(at.value) * pair.p[i]);
  }
  RC_ASSERT(std::fabs(lost - exact) <= 1e-12);
}

}  // namespace
}  // namespace assay
