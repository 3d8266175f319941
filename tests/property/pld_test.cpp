// Brackets around finite pairs drawn at random: whatever the grid, the lower profile lies below the
// exact one and the upper above, before and after composition, coarsening and tilting.
#include <span>

#include "assay/mechanisms/accounting/pld/internal/pld_bracket.hpp"
#include "assay/mechanisms/accounting/pld/internal/tilted_pld.hpp"
#include "assay/mechanisms/accounting/pld/pld_composition.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/tests/support/property_testing.hpp"

namespace assay {
namespace {

using Long = long double;

struct Pair {
  std::vector<double> p, q;
};

// Masses over a few orders of magnitude; now and then an output of one side only.
Pair random_pair() {
  const auto outputs = static_cast<std::size_t>(*rc::gen::inRange(2, 6));
  Pair pair{std::vector<double>(outputs), std::vector<double>(outputs)};
  double total_p = 0.0, total_q = 0.0;
  for (std::size_t i = 0; i < outputs; ++i) {
    pair.p[i] = log_uniform(0.01, 1.0);
    pair.q[i] = pair.p[i] * log_uniform(0.1, 10.0);
    if (i > 0 && uniform(0.0, 1.0) < 0.1) (uniform(0.0, 1.0) < 0.5 ? pair.p : pair.q)[i] = 0.0;
    total_p += pair.p[i];
    total_q += pair.q[i];
  }
  for (double& x : pair.p) x /= total_p;
  for (double& x : pair.q) x /= total_q;
  return pair;
}

// Sum over all sequences of n outputs of (P - e^eps Q)+, in extended precision.
Long exact_delta(const std::vector<std::pair<const Pair*, int>>& factors, Long eps, std::size_t at,
                 int used, Long p, Long q) {
  if (at == factors.size()) return std::max<Long>(p - std::exp(eps) * q, 0.0L);
  const auto& [pair, count] = factors[at];
  if (used == count) return exact_delta(factors, eps, at + 1, 0, p, q);
  Long sum = 0.0L;
  for (std::size_t i = 0; i < pair->p.size(); ++i) {
    if (pair->p[i] == 0.0) continue;
    sum += exact_delta(factors, eps, at, used + 1, p * pair->p[i], q * pair->q[i]);
  }
  return sum;
}

// The oracle's own rounding: at most 20 products and sums of u = 2^-64, and of exp.
constexpr Long kOracle = 1e-17L;

void assert_inside(const Interval<Delta>& delta, Long exact) {
  RC_ASSERT(static_cast<Long>(delta.lower.value.value) <= exact + kOracle);
  RC_ASSERT(static_cast<Long>(delta.upper.value.value) >= exact - kOracle);
}

PldBracket discretised(const Pair& pair, double grid) {
  return must(discretise(must(loss_of::finite_pair(pair.p, pair.q)), grid));
}

RC_GTEST_PROP(PldBracketing, HoldsForOneReleaseOnAnyGrid, ()) {
  const Pair pair = random_pair();
  const auto bracket = discretised(pair, log_uniform(1e-3, 3.0));
  for (double eps = -4.0; eps <= 4.0; eps += 0.0617) {
    assert_inside(bracket.delta(Epsilon{eps}), exact_delta({{&pair, 1}}, eps, 0, 0, 1.0L, 1.0L));
  }
}

RC_GTEST_PROP(PldBracketing, HoldsAfterComposition, ()) {
  const Pair pair = random_pair();
  const auto distribution = loss_of::finite_pair(pair.p, pair.q);
  const int count = *rc::gen::inRange(1, 5);
  const PldOptions rough{.epsilon_width = log_uniform(1e-3, 0.3), .attempts = 2};
  const auto composed = compose_near(std::vector{PldTerm{*distribution, count}},
                                     Delta{log_uniform(1e-4, 0.5)}, rough);
  RC_ASSERT(composed.has_value());
  for (double eps = 0.0; eps <= 6.0; eps += 0.231) {
    assert_inside(composed->delta(Epsilon{eps}),
                  exact_delta({{&pair, count}}, eps, 0, 0, 1.0L, 1.0L));
  }
}

RC_GTEST_PROP(PldBracketing, HoldsForMixtures, ()) {
  const Pair a = random_pair(), b = random_pair();
  const std::vector<PldTerm> terms{{*loss_of::finite_pair(a.p, a.q), 1},
                                   {*loss_of::finite_pair(b.p, b.q), 2}};
  const PldOptions rough{.epsilon_width = 1e-2, .attempts = 2};
  const double focus = uniform(0.0, 3.0);
  const auto composed = compose_near(terms, Epsilon{focus}, rough);
  RC_ASSERT(composed.has_value());
  for (const double eps : {0.0, 0.5 * focus, focus, focus + 0.3, 2.0 * focus}) {
    assert_inside(composed->delta(Epsilon{eps}),
                  exact_delta({{&a, 1}, {&b, 2}}, eps, 0, 0, 1.0L, 1.0L));
  }
}

RC_GTEST_PROP(PldBracketing, HoldsAfterCoarseningATiltedGrid, ()) {
  const Pair pair = random_pair();
  const auto bracket = discretised(pair, log_uniform(1e-2, 0.3));
  const auto tilted = detail::tilt(bracket, uniform(0.0, 3.0));
  const auto coarse = detail::coarsen(tilted, *rc::gen::inRange<std::int64_t>(1, 9));
  const ComposedPld pld(coarse, bracket.lower_at_infinity, bracket.upper_at_infinity);
  for (double eps = 0.0; eps <= 4.0; eps += 0.0917) {
    assert_inside(pld.delta(Epsilon{eps}), exact_delta({{&pair, 1}}, eps, 0, 0, 1.0L, 1.0L));
  }
}

RC_GTEST_PROP(PldBracketing, KeepsProbabilitiesBetweenItsSides, ()) {
  const Pair pair = random_pair();
  const auto bracket = discretised(pair, log_uniform(1e-3, 1.0));
  double lower = bracket.lower_at_infinity, upper = bracket.upper_at_infinity;
  for (std::size_t i = 0; i < bracket.size(); ++i) {
    RC_ASSERT(bracket.lower[i] >= 0.0);
    RC_ASSERT(bracket.upper[i] >= 0.0);
    lower += bracket.lower[i];
    upper += bracket.upper[i];
  }
  RC_ASSERT(std::fabs(upper - 1.0) <= 1e-12);  // (2) keeps P-mass
  RC_ASSERT(lower <= 1.0 + 1e-12);
}

RC_GTEST_PROP(PldResults, EpsilonAndDeltaAreInversesWithinTheirBounds, ()) {
  const auto distribution = loss_of::gaussian(log_uniform(0.5, 20.0));
  const auto composed = compose_near(std::vector{PldTerm{*distribution, *rc::gen::inRange(1, 200)}},
                                     Delta{1e-6}, {.epsilon_width = 1e-2});
  RC_ASSERT(composed.has_value());
  const double log_delta = portable_log(log_uniform(1e-8, 1e-2));
  const auto eps = composed->epsilon(log_delta);
  RC_ASSERT(eps.lower.value <= eps.upper.value);
  RC_ASSERT(composed->log_delta(eps.upper.value).upper <= log_delta);
  if (eps.lower.value.value > 0.0) {
    RC_ASSERT(composed->log_delta(eps.lower.value).lower > log_delta);
  }
}

}  // namespace
}  // namespace assay
