// The three parts of the regret proof (Appendix B), with D = Delta_i, x_i = mu_i + D/3 and
// y_i = mu_1 - D/3; E^mu: mean_i <= x_i, E^theta: theta_i <= y_i.
//
// The printed proofs treat mean_i = (sum of rewards)/(n_i + 1) as if it were unbiased. The checks
// of Lemmas 6 and 7 account for the shrinkage. For Lemma 9, where it hurts, the expectation is
// computed exactly.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/auditors/bandits/claims/checks.hpp"
#include "assay/auditors/bandits/claims/searches.hpp"
#include "assay/auditors/claims/search/box_certifier.hpp"
#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/numerics/normal.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::thompson_sampling_checks {

// The chain of inequalities of Lemma 6 on Bernoulli arms with the exact Chernoff exponent. This sum
// is at most that of Hoeffding's bounds.
SearchedClaim lemma_6_search() {
  return {{log_scale("D", 0.1, 1.0), real("mu_i", 0.0, 1.0), whole_log_scale("b + 1", 1, 200)},
          [](const Point& point) {
            const double gap_size = point[0];
            const double mean = point[1];
            if (mean + gap_size > 1.0) return std::nan("");
            const double u = 2.0 * gap_size * gap_size / 9.0;
            const double first = point[2] - 1.0;
            double sum = 0.0;
            for (double k = first; k * u < 40.0; k += 1.0) {
              const double level = (k + 1.0) * (mean + gap_size / 3.0) / std::max(k, 1.0);
              if (k == 0.0 || level > 1.0) continue;
              const double kl =
                  level * portable_log(level / std::max(mean, 1e-300)) +
                  (level < 1.0 ? (1.0 - level) * portable_log((1.0 - level) / (1.0 - mean)) : 0.0);
              const double term = portable_exp(-k * kl);
              sum += term;
              if (term < 1e-18 * sum) break;  // k kl is convex in k, so the rest is geometric
            }
            return sum / (2.0 / u * portable_exp(-first * u)) - 1.0;
          },
          1e-9};
}

// Lemma 6: sum_t P(a_t = i, not E^mu) <= (9/D^2) e^(-2bD^2/9).
// After k pulls the mean exceeds x_i only if the sum of rewards exceeds its expectation by
// (k + 1) x_i - k mu_i >= k D/3: the shrinkage helps. By Hoeffding that has probability at most
// e^(-k u), u = 2D^2/9. The count leaves each k >= b once, so the sum is at most e^(-bu)/(1 -
// e^-u), which is below (2/u) e^(-bu) when u <= 2 (1 - e^-u). Certified on 0 < u <= 2/9 with 1 -
// e^-u >= u - u^2/2: slack/u = 1 - u >= 0.
Finding lemma_6(const ClaimRequest& request, const RunControl& control) {
  const std::vector<Parameter> gap{real("u = 2 D^2/9", 0.0, 2.0 / 9.0)};
  const auto box = certify_box(
      gap, [](const Cell& cell) { return 1.0 - cell[0].high; }, 1000, control);
  auto finding =
      searched({.id = "mts-lemma6", .claim = lemma_6_search(), .points = 400, .climbs = 4}, request,
               control);
  finding.evaluations += box.cells;
  finding.domain = "every reward distribution on [0, 1], 0 < D <= 1, b >= 0, c >= 1, N and T";
  finding.evidence = {
      "e^(-bu)/(1 - e^-u) <= (2/u) e^(-bu) for 0 < u = 2 D^2/9 <= 2/9",
      fmt::format("Chernoff sums for {} Bernoulli arms: at most {}% of the bound", finding.points(),
                  rounded_up(100.0 * (1.0 + finding.outcome.margin), 4))};
  return proved(finding, box,
                "a geometric sum of Hoeffding bounds, which accounts for the shrinkage of the "
                "mean, stays below (2/u) e^(-bu), u = 2 D^2/9");
}

// Lemma 7: sum_t P(a_t = i, E^mu, not E^theta) <= max(0, L - b) + 1/D^2, L = 18c log(X)/D^2,
// X = (T - bN) D^2. While n_i + 1 < L there are at most max(0, L - b) pulls. Afterwards a round
// contributes at most P(theta_i > y_i | mean_i <= x_i) <= Phi(-(D/3) sqrt((n_i + 1)/c)) <=
// Phi(-sqrt(2 log X)), and there are X/D^2 rounds, which contribute (X Phi(-sqrt(2 log X)))/D^2.
// With s = sqrt(2 log X) that is M(s)/D^2, M(s) = e^(s^2/2) Phi(-s). Certified: M <= 1 on the box.
// (M is half of the scaled complementary error function, so decreasing from 1/2.)
Finding lemma_7(const ClaimRequest&, const RunControl& control) {
  const std::vector<Parameter> box{real("s = sqrt(2 log X)", 0.0, 30.0)};
  const auto slack = [](const Cell& cell) {
    return -(cell[0].high * cell[0].high / 2.0 + normal_log_ccdf(cell[0].low)) - 1e-12;
  };
  const auto outcome = certify_box(box, slack, 100'000, control);
  ClaimFinding finding;
  finding.evaluations = outcome.cells;
  finding.domain =
      "every reward distribution on [0, 1], D <= 1, b >= 0, c >= 1, N and T >= bN + 1/D^2; X to e^450 by "
      "cells, larger X by e^(s^2/2) Phi(-s) <= 1/(s sqrt(2 pi))";
  finding.evidence = {
      fmt::format("e^(s^2/2) Phi(-s) <= 1 certified over {} cells; at s = 0 it is "
                  "1/2, its largest value",
                  grouped(outcome.cells))};
  return certified(finding, outcome,
                   "there are at most L - b pulls before n_i + 1 reaches L, and the rounds after "
                   "that add at most 1/(2 D^2)");
}

namespace {

// E[1/p] - 1 for n Bernoulli(mean) rewards of arm 1: the expectation over S ~ Bin(n, mean) of
// P(theta <= y)/P(theta > y), theta ~ N(S/(n + 1), c/(n + 1)). The weights are relative to the mode
// and follow by recursion outwards, so no factorial is needed.
double expected_odds(std::int64_t n, double mean, double threshold, double variance) {
  const double count = static_cast<double>(n);
  const double root = std::sqrt((count + 1.0) / variance);
  const auto odds = [&](double successes) {
    const double z = (threshold - successes / (count + 1.0)) * root;
    return portable_exp(normal_log_cdf(z) - normal_log_ccdf(z));
  };
  if (mean <= 0.0) return odds(0.0);
  if (mean >= 1.0) return odds(count);
  constexpr double kNegligible = 1e-18;
  const double ratio = mean / (1.0 - mean);
  const double mode = std::min(count, std::floor((count + 1.0) * mean));
  double total = 1.0;
  double sum = odds(mode);
  double weight = 1.0;
  for (double s = mode; s > 0.0; s -= 1.0) {
    weight *= s / ((count - s + 1.0) * ratio);
    const double term = weight * odds(s - 1.0);
    total += weight;
    sum += term;
    if (std::max(weight, term) < kNegligible * std::min(total, sum)) break;
  }
  weight = 1.0;
  for (double s = mode; s < count; s += 1.0) {
    weight *= (count - s) * ratio / (s + 1.0);
    total += weight;
    sum += weight * odds(s + 1.0);
    if (weight < kNegligible * total) break;
  }
  return sum / total;
}

struct LemmaNine {
  double log_all = 0.0;    // log of E[1/p] - 1 over 71
  double log_large = 0.0;  // at the least k of the second part, log of E[1/p] - 1 over 4/X
};

LemmaNine lemma_nine_at(const Point& point) {
  const double mean = point[0];
  const double gap = point[1] * mean;
  const double threshold = mean - gap / 3.0;
  const auto pre_pulls = static_cast<std::int64_t>(point[2]) - 1;
  const double variance = point[3];
  const auto pulls = static_cast<std::int64_t>(point[4]) - 1;
  const double x = point[5];
  LemmaNine out;
  out.log_all = portable_log(expected_odds(pre_pulls + pulls, mean, threshold, variance) / 71.0);
  const double least = std::ceil(72.0 * variance * portable_log(x) / (gap * gap) -
                                 static_cast<double>(pre_pulls) - 1.0);
  const auto k = static_cast<std::int64_t>(std::max(1.0, least));
  out.log_large = portable_log(
      std::max(1e-300, expected_odds(pre_pulls + k, mean, threshold, variance) * x / 4.0));
  return out;
}

}  // namespace

SearchedClaim lemma_9_search(bool large) {
  return {{real("mu_1", 0.2, 1.0), real("D/mu_1", 0.25, 1.0), whole_log_scale("b + 1", 1, 1000),
           log_scale("c", 1.0, 10.0), whole_log_scale("k + 1", 1, 2000), log_scale("X", 4.0, 1e8)},
          [large](const Point& point) {
            const auto at = lemma_nine_at(point);
            return large ? at.log_large : at.log_all;
          },
          1e-9};
}

// Lemma 9: E[1/p] - 1 <= 71 for all k, and <= 4/X for k >= max(1, 72 c log(X)/D^2 - (b + 1)), where
// p = P(theta_1 > y_i) after b + k pulls of arm 1. 1/p is a convex function of the mean, so among
// all reward distributions on [0, 1] with mean mu_1 Bernoulli rewards make the expectation largest.
// The check searches these, with exact sums.
Finding lemma_9(const ClaimRequest& request, const RunControl& control) {
  ClaimFinding finding;
  SearchOutcome closest;
  for (const bool large : {false, true}) {
    const auto part = searched(
        {.id = "mts-lemma9", .claim = lemma_9_search(large), .points = 1'000}, request, control);
    const auto& outcome = part.outcome;
    finding.evaluations += outcome.evaluations;
    if (outcome.violation) {
      return undecided(finding, "exceeded at " + point_text(part.space, *outcome.violation) +
                                    ", by full summation in double precision");
    }
    if (outcome.best.empty()) return not_refuted(finding, outcome, "margin");
    finding.evidence.push_back(
        fmt::format("{}: E[1/p] - 1 reaches {}% of the bound, at {}",
                    large ? "from the least k of the second part on, 4/X" : "all k, 71",
                    rounded_up(100.0 * portable_exp(outcome.margin), 3), part.closest()));
    if (closest.best.empty() || outcome.margin > closest.margin) closest = outcome;
  }
  closest.evaluations = finding.evaluations;
  finding.domain =
      grouped(finding.evaluations) +
      " points: mu_1 from 0.2 to 1, D from mu_1/4 to mu_1, b below 1000, c to 10, k "
      "below 2000, X = (T - bN) D^2 from 4 to 1e8; Bernoulli rewards, which are extremal";
  return not_refuted(finding, closest, "log of the expectation over its bound");
}

}  // namespace assay::thompson_sampling_checks
