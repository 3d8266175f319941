// The parts of Gaussian differential privacy that the paper uses: Lemma 1 (duality) and Lemma 2
// (composition).
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "assay/auditors/bandits/claims/checks.hpp"
#include "assay/auditors/bandits/claims/searches.hpp"
#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/methods/exact.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::thompson_sampling_checks {
namespace {

// The maximum of a concave function by golden section; its value is exact to second order.
template <class F>
double maximum(const F& f, double low, double high) {
  constexpr double kGolden = 0.6180339887498949;
  double a = high - kGolden * (high - low);
  double b = low + kGolden * (high - low);
  double fa = f(a);
  double fb = f(b);
  for (int i = 0; i < 120; ++i) {
    if (fa >= fb) {
      high = b;
      b = a;
      fb = fa;
      a = high - kGolden * (high - low);
      fa = f(a);
    } else {
      low = a;
      a = b;
      fa = fb;
      b = low + kGolden * (high - low);
      fb = f(b);
    }
  }
  return std::max(fa, fb);
}

// delta(eps) of the best test, which rejects when the observation exceeds x.
double delta_by_tests(double mu, double epsilon) {
  const double weight = portable_exp(epsilon);
  const auto gain = [&](double x) { return normal_ccdf(x - mu) - weight * normal_ccdf(x); };
  const double best = epsilon / mu + mu / 2.0;
  return std::max(0.0, maximum(gain, best - 4.0, best + 4.0));
}

// G_mu(alpha) from the profile: the largest lower bound that any (eps, delta(eps)) gives.
double trade_off_by_profile(double mu, double alpha) {
  const auto bound = [&](double epsilon) {
    const double room = 1.0 - gdp_delta(Mu{mu}, Epsilon{epsilon}).value;
    return std::max(room - portable_exp(epsilon) * alpha, portable_exp(-epsilon) * (room - alpha));
  };
  // The bound is concave in e^eps for eps < 0 and for eps > 0, so it is unimodal on each.
  const double most = mu * mu / 2.0 + 9.0 * mu;
  const auto first = [&](double epsilon) {
    return 1.0 - gdp_delta(Mu{mu}, Epsilon{epsilon}).value - portable_exp(epsilon) * alpha;
  };
  const auto second = [&](double epsilon) {
    return portable_exp(-epsilon) * (1.0 - gdp_delta(Mu{mu}, Epsilon{epsilon}).value - alpha);
  };
  return std::max({0.0, bound(0.0), maximum(first, 0.0, most), maximum(second, 0.0, most)});
}

}  // namespace

// Each form is computed from the other: delta(eps) as the supremum over tests with the trade-off
// G_mu, and G_mu as the supremum over the (eps, delta(eps)) that it implies. The margin is the
// difference from the closed forms.
SearchedClaim duality_search() {
  return {{log_scale("mu", 1e-2, 6.0), real("eps/mu", 1e-3, 6.0), {"alpha", 1e-6, 1.0 - 1e-6}},
          [](const Point& point) {
            const Mu mu{point[0]};
            const double epsilon = point[1] * point[0];
            const double forward =
                std::abs(delta_by_tests(mu.value, epsilon) - gdp_delta(mu, Epsilon{epsilon}).value);
            const double backward =
                std::abs(trade_off_by_profile(mu.value, point[2]) - gdp_trade_off(mu, point[2]));
            return std::max(forward, backward);
          },
          1e-12};  // both forms cancel terms of at most 1, with relative errors of 1e-13
}

Finding duality(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "gdp-dp-duality", .claim = duality_search(), .points = 2'000},
                          request, control);
  finding.domain =
      finding.points() +
      " points: mu from 0.01 to 6, eps up to 6 mu, type I errors from 1e-6 to 1 - 1e-6; "
      "both directions; the tolerance for rounding is 1e-12";
  if (finding.outcome.violation) {
    return undecided(finding, "the two forms differ at " +
                                  point_text(finding.space, *finding.outcome.violation));
  }
  return not_refuted(finding, finding.outcome, "difference between the two forms");
}

namespace {

constexpr int kMostRounds = 4;
constexpr int kMostBins = 6;

// The parameters are rounds and bins and, for each round, the level, the place of the bins, and the
// share of the level that is used after an even and after an odd outcome: the next mechanism
// depends on the past.
std::vector<Parameter> composition_space() {
  std::vector<Parameter> space{whole("rounds", 2, kMostRounds), whole("bins", 2, kMostBins)};
  for (int t = 1; t <= kMostRounds; ++t) {
    const std::string round = std::to_string(t);
    space.push_back(log_scale("mu_" + round, 1e-2, 3.0));
    space.push_back(real("shift_" + round, -2.0, 2.0));
    space.push_back(log_scale("width_" + round, 0.05, 3.0));
    space.push_back(real("used_after_even_" + round));
    space.push_back(real("used_after_odd_" + round));
  }
  return space;
}

// log of the probability that N(mean, 1) falls into each of `bins` cells. The outer cells are
// unbounded.
std::vector<double> binned_normal(double mean, int bins, double shift, double width) {
  std::vector<double> log_p;
  for (int k = 0; k < bins; ++k) {
    const double low = shift + width * (k - bins / 2.0) - mean;
    const double high = low + width;
    if (k == 0) {
      log_p.push_back(normal_log_cdf(high));
    } else if (k == bins - 1) {
      log_p.push_back(normal_log_ccdf(low));
    } else if (low > 0.0) {
      log_p.push_back(log_sub_exp(normal_log_ccdf(low), normal_log_ccdf(high)));
    } else {
      log_p.push_back(log_sub_exp(normal_log_cdf(high), normal_log_cdf(low)));
    }
  }
  return log_p;
}

// The smallest mu of two binned distributions, in both orientations; 0 if they are equal.
double level_of(const std::vector<double>& p, const std::vector<double>& q) {
  const auto exact = ExactLoss::create({p, q, 1e-11});
  return exact ? exact->mu().upper.value.value : HUGE_VAL;
}

struct Composed {
  EnumeratedDistributions distributions;
  std::vector<Mu> levels;
};

// Every sequence of outcomes of `rounds` discretised Gaussian mechanisms, exactly.
Composed compose_exactly(const Point& point) {
  const int rounds = static_cast<int>(point[0]);
  const int bins = static_cast<int>(point[1]);
  Composed composed;
  composed.distributions.log_p = {0.0};
  composed.distributions.log_q = {0.0};
  composed.distributions.relative_error = 1e-11;
  std::vector<int> last{0};
  for (int t = 0; t < rounds; ++t) {
    const double* round = point.data() + 2 + 5 * t;
    const auto p = binned_normal(0.0, bins, round[1], round[2]);
    // The largest leak of this round's mechanism over all pasts.
    double level = 0.0;
    for (const double used : {t == 0 ? 1.0 : round[3], t == 0 ? 1.0 : round[4]}) {
      level =
          std::max(level, level_of(p, binned_normal(used * round[0], bins, round[1], round[2])));
    }
    composed.levels.push_back(Mu{level});
    std::vector<double> log_p, log_q;
    std::vector<int> outcome;
    for (std::size_t path = 0; path < last.size(); ++path) {
      const double used = t == 0 ? 1.0 : round[last[path] % 2 == 0 ? 3 : 4];
      const auto q = binned_normal(used * round[0], bins, round[1], round[2]);
      for (int k = 0; k < bins; ++k) {
        log_p.push_back(composed.distributions.log_p[path] + p[static_cast<std::size_t>(k)]);
        log_q.push_back(composed.distributions.log_q[path] + q[static_cast<std::size_t>(k)]);
        outcome.push_back(k);
      }
    }
    composed.distributions.log_p = std::move(log_p);
    composed.distributions.log_q = std::move(log_q);
    last = std::move(outcome);
  }
  return composed;
}

}  // namespace

// Gaussian mechanisms with outputs binned into cells are finite, so each has an exact smallest
// mu_t, and so has their adaptive composition. The margin is that mu over sqrt(sum mu_t^2), less 1.
// (If mu_t were the level of the continuous mechanism, no composition could exceed it, as it is a
// function of their outputs.)
SearchedClaim composition_search() {
  return {composition_space(),
          [](const Point& point) {
            const auto composed = compose_exactly(point);
            const auto exact = ExactLoss::create(composed.distributions);
            if (!exact) return std::nan("");
            return exact->mu().lower.value.value / compose_gdp(composed.levels).value - 1.0;
          },
          1e-9};
}

Finding composition(const ClaimRequest& request, const RunControl& control) {
  auto finding = searched({.id = "gdp-composition", .claim = composition_search(), .points = 1'500},
                          request, control);
  finding.domain =
      finding.points() +
      " compositions of 2 to 4 discretised Gaussian mechanisms, shifts from 0.01 to 3, 2 "
      "to 6 cells each; each outcome chooses the next mechanism";
  if (finding.outcome.violation) {
    return undecided(finding, "the composed level is exceeded at " +
                                  point_text(finding.space, *finding.outcome.violation));
  }
  finding.evidence = {"closest: an exact composition that needs " +
                      rounded_down(100.0 * (1.0 + finding.outcome.margin), 6) +
                      "% of sqrt(sum mu_t^2)"};
  return not_refuted(finding, finding.outcome, "relative excess of the exact mu");
}

}  // namespace assay::thompson_sampling_checks
