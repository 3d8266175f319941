// Lemma A.2: peeling of s entries with noise of scale xi = lambda 2 sqrt(3 s log(1/delta))/eps is
// (eps, delta)-DP if no entry moves by more than lambda. h = lambda/xi, L = log(1/delta).
//
// Proved range. A choice is 2 h-DP, so (2 h)^2/2-zCDP, a value h-DP, so h^2/2-zCDP; s of both are
//   rho-zCDP, rho = 5 s h^2/2 = (5/24) eps^2/L, for every s. rho-zCDP is (rho + 2 sqrt(rho L),
//   delta)-DP (Bun, Steinke 2016): with x = eps/L, rho + 2 sqrt(rho L) <= eps iff
//     (5/24) x + 2 sqrt(5/24) <= 1, which x <= 0.418 satisfies                                  (1)
//   so for every s if eps <= 0.418 log(1/delta). The range of Dwork, Su, Zhang, eps <= 1/2, delta
//   <= 0.011, s >= 10, is inside.
// Above it, certified PLDs of peeling_composition.hpp decide, from above (holds) and from below
// (fails). Peeling d = s entries refutes it: every entry is chosen, and this check ignores the
// order of the choice. The s values are s Laplace shifts by h:
//     p = P(at least k of s), 1/2 each; q the same with e^-h/2; p - e^eps q > delta             (2)
//   k is the least with a likelihood ratio above e^eps: k h - (s - k) log(2 - e^-h) > eps      (3)
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/sparse/claims/checks.hpp"
#include "assay/auditors/sparse/claims/searches.hpp"
#include "assay/auditors/sparse/peeling_composition.hpp"
#include "assay/auditors/statistics/binomial.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::sparse_checks {
namespace {

constexpr double kProvedShare = 0.418;  // eps over log(1/delta)
constexpr double kLevelRounding = 1e-9;

// The margin of (2): true delta over delta, less 1; below -1 if no event has a loss above eps.
double peeling_margin(const Point& point) {
  const auto found = peeling_at(point);
  if (found.least <= found.entries) return found.true_delta / found.delta - 1.0;
  return static_cast<double>(found.entries - found.least) / static_cast<double>(found.entries) -
         1.0;
}

std::vector<Parameter> peeling_space(double most_epsilon) {
  return {log_scale("eps", 0.1, most_epsilon), whole_log_scale("s", 1, 2000),
          log_scale("delta", 1e-3, 0.01)};
}

enum class Side { kHolds, kFails };

// Whether a bound decides: the certificate from above, or the pair from below.
Result<bool> decides(Side side, std::int64_t rounds, double epsilon, double delta,
                     const RunControl& control) {
  const PeeledEntries peeling{rounds, paper_peeling_shift(rounds, epsilon, delta)};
  if (side == Side::kHolds) {
    const auto above =
        ASSAY_TRY(peelings_delta_above(std::array{peeling}, Epsilon{epsilon}, control.cancel));
    return above.value.value <= delta;
  }
  const auto below = ASSAY_TRY(peeling_delta_below(peeling, 0, Epsilon{epsilon}, control.cancel));
  return below.value.value > delta;
}

// By bisection over a grid of eps: one at which the bound decides, although it does not at the
// next.
Result<double> turning_point(Side side, std::int64_t rounds, double delta,
                             const RunControl& control) {
  const auto at = [](int step) { return 0.5 * portable_exp(0.01 * step); };
  int low = 0;
  int high = 650;  // eps = 332
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    const bool yes = ASSAY_TRY(decides(side, rounds, at(middle), delta, control));
    (yes == (side == Side::kHolds) ? low : high) = middle;
  }
  return at(side == Side::kHolds ? low : high);
}

}  // namespace

PeelingCounterexample peeling_at(const Point& point) {
  PeelingCounterexample found;
  found.epsilon = point[0];
  found.entries = static_cast<std::int64_t>(point[1]);
  found.delta = point[2];
  const double h = paper_peeling_shift(found.entries, found.epsilon, found.delta);
  const auto s = static_cast<double>(found.entries);
  const double miss = portable_log1p(-portable_expm1(-h));  // log(2 - e^-h)
  found.least = 1 + static_cast<std::int64_t>(
                        std::clamp((found.epsilon + s * miss) / (h + miss), 0.0, 2.0 * s));  // (3)
  if (found.least > found.entries) return found;
  found.p = portable_exp(binomial_log_at_least(found.least, found.entries, 0.5));
  const double log_q = binomial_log_at_least(found.least, found.entries, 0.5 * portable_exp(-h));
  found.q = portable_exp(log_q);
  found.true_delta = found.p - portable_exp(found.epsilon + log_q);  // (2)
  return found;
}

SearchedClaim peeling_search() { return {peeling_space(150.0), peeling_margin, kLevelRounding}; }

SearchedClaim peeling_range_search() {
  return {peeling_space(3.0),
          [](const Point& point) {
            if (point[0] > -kProvedShare * portable_log(point[2])) return std::nan("");
            return peeling_margin(point);
          },
          kLevelRounding};
}

// A twentieth of the margin is enough; the simplest eps comes first.
Finding peeling_privacy(const ClaimRequest& request, const RunControl& control) {
  auto finding =
      searched({.id = "peel-dp", .claim = peeling_search(), .points = 4'000, .keep = 0.05}, request,
               control);
  finding.domain =
      "eps up to 150, s up to 2,000, delta 0.001 to 0.01, s values: " + finding.points() +
      " settings";
  finding.table.columns = {"delta", "s", "proved for all s to eps", "composition holds at eps",
                           "pair fails at eps"};
  for (const double delta : {0.01, 1e-5}) {
    for (const std::int64_t rounds : {10, 60, 1000}) {
      if (control.stopped()) return undecided(finding, "stopped");
      const double low = ASSAY_TRY(turning_point(Side::kHolds, rounds, delta, control));
      const double high = ASSAY_TRY(turning_point(Side::kFails, rounds, delta, control));
      finding.table.rows.push_back(
          {rounded(delta, 2), grouped(rounds), rounded_down(-kProvedShare * portable_log(delta), 3),
           low > 300.0 ? "all" : rounded_down(low, 3), high > 300.0 ? "-" : rounded_up(high, 3)});
    }
  }
  return refuted_or_not(
      finding, "true delta over delta, less 1", peeling_at,
      {"table: the eps up to which zCDP proves it; the last eps of a grid to 300 at which "
       "certified composition of s choices of level 2 lambda/xi and s Laplace values holds; and "
       "the first at which a pair of many entries in two groups, one up and one down by lambda, "
       "needs more than delta for choices and values together (- if there is none)",
       "between the last two columns neither bound decides: the effect of a choice lies between "
       "losses 2 lambda/xi apart and losses of 2 lambda/xi either way"});
}

Finding peeling_privacy_in_range(const ClaimRequest& request, const RunControl& control) {
  const detail::Enclosure ratio = detail::Enclosure(5.0) / 24.0;
  const double left = (ratio * kProvedShare + detail::sqrt(ratio) * 2.0).high;  // (1)
  auto finding = searched({.id = "peel-dp-range", .claim = peeling_range_search(), .points = 4'000},
                          request, control);
  finding.domain = fmt::format(
      "every s, eps <= {} log(1/delta), where eps <= 1/2, delta <= 0.011, s >= 10 lies; search: {} "
      "settings with delta from 0.001 to 0.01",
      kProvedShare, finding.points());
  finding.evidence = {
      "proof step: a choice is (2 h)^2/2-zCDP and a value h^2/2-zCDP, h = lambda/xi: rho = (5/24) "
      "eps^2/log(1/delta) together, for every s",
      fmt::format("rho + 2 sqrt(rho log(1/delta)) <= eps: (5/24) x + 2 sqrt(5/24) = {} <= 1 at x = "
                  "eps/log(1/delta) = {}",
                  rounded_up(left, 6), kProvedShare),
      "independent search: delta that s values alone need, over delta, less 1, at most " +
          rounded_up(finding.outcome.margin, 3)};
  if (!(left <= 1.0)) return undecided(std::move(finding), "the arithmetic does not hold");
  finding.evidence.push_back(
      "at delta = 0.01 to eps = 1.92, and by certified composition to 8 at least (peel-dp has the "
      "table); this is the reach of the proof, not the limit of the lemma");
  return proved(std::move(finding), "concentrated DP adds up to (5/24) eps^2/log(1/delta)");
}

Finding peeling_privacy_in_experiments(const ClaimRequest&, const RunControl& control) {
  constexpr std::int64_t kRounds = 10;
  constexpr double kDelta = 0.01;
  ClaimFinding finding;
  finding.domain = "s = 10, delta = 0.01, eps 0.5, 1, 2, 5 and 10, every d";
  finding.table.columns = {"eps", "lambda/xi", "delta at most", "delta at least, d = 400"};
  bool all = true;
  for (const double epsilon : {0.5, 1.0, 2.0, 5.0, 10.0}) {
    if (control.stopped()) return undecided(std::move(finding), "stopped");
    const PeeledEntries peeling{kRounds, paper_peeling_shift(kRounds, epsilon, kDelta)};
    const auto above =
        ASSAY_TRY(peelings_delta_above(std::array{peeling}, Epsilon{epsilon}, control.cancel));
    const auto below =
        ASSAY_TRY(peeling_delta_below(peeling, 400, Epsilon{epsilon}, control.cancel));
    all = all && above.value.value <= kDelta;
    ++finding.evaluations;
    finding.table.rows.push_back({rounded(epsilon, 2), rounded(peeling.shift, 3),
                                  rounded_up(above.value.value, 3),
                                  rounded_down(below.value.value, 3)});
  }
  finding.evidence = {
      "table: at eps, from above by certified composition of ten choices of level 2 lambda/xi and "
      "ten Laplace values, for every d; from below by 400 entries in two groups"};
  if (!all) return undecided(std::move(finding), "the composition exceeds delta");
  return holds(std::move(finding), "certified composition stays below delta at every eps");
}

}  // namespace assay::sparse_checks
