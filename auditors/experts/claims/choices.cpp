// The distribution of one choice with resampled losses, exactly: G_j ~ Bin(n, mu_j), n = 2^(r-1).
// Losses are independent over actions and rounds, as the paper's line 8 draws them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "assay/auditors/claims/search/box_certifier.hpp"
#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/experts/claims/checks.hpp"
#include "assay/auditors/experts/claims/searches.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/numerics/count_distribution.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/experts/leader_noise.hpp"

namespace assay::expert_checks {
namespace {

constexpr int kMostActions = 4;

std::vector<double> choices(LeaderNoise noise, double epsilon, double epoch,
                            const std::vector<double>& means) {
  const auto rounds = static_cast<std::int64_t>(std::ldexp(1.0, static_cast<int>(epoch) - 1));
  std::vector<ScoreGroup> groups;
  for (const double mean : means) {
    groups.push_back(ScoreGroup::of_losses(binomial_distribution(rounds, mean)));
  }
  auto distribution = leader_log_probabilities(printed_noise(noise, epsilon), groups);
  for (double& p : distribution) p = portable_exp(p);
  return distribution;
}

std::vector<Parameter> choice_space(double most_epsilon) {
  std::vector<Parameter> space{whole("K", 2, kMostActions), log_scale("eps", 0.02, most_epsilon),
                               whole("r", 1, 7)};
  for (int i = 1; i <= kMostActions; ++i) space.push_back({"mu_" + std::to_string(i)});
  return space;
}

std::vector<double> sorted_means(const Point& point) {
  std::vector<double> means(point.begin() + 3, point.begin() + 3 + static_cast<long>(point[0]));
  std::sort(means.begin(), means.end());
  return means;
}

}  // namespace

SearchedClaim monotone_search() {
  auto space = choice_space(8.0);
  space.push_back(whole("noise", 0, 2));
  space.push_back(whole("raised", 1, kMostActions));
  space.push_back(real("by"));
  return {std::move(space),
          [](const Point& point) {
            const auto noise = kLeaderNoises[static_cast<std::size_t>(point[7])];
            auto means = sorted_means(point);
            const auto p = choices(noise, point[1], point[2], means);
            double worst = p[0] - 1.0;
            for (std::size_t j = 1; j < p.size(); ++j) {
              worst = std::max({worst, p[j] - p[j - 1], p[j] - 1.0 / static_cast<double>(j + 1)});
            }
            const auto raised = static_cast<std::size_t>(point[8]) - 1;
            if (raised >= means.size()) return worst;
            means[raised] += point[9] * (1.0 - means[raised]);
            return std::max(worst, choices(noise, point[1], point[2], means)[raised] - p[raised]);
          },
          1e-11};
}

// Lemma 1. A larger mean makes Bin(n, mu) larger and N = -G + Q smaller in stochastic order.
// P[J = j] is the expectation of a function that increases in N_j and decreases in every other N_i,
// so it does not increase in mu_j. For mu_i <= mu_j raise mu_i to mu_j: P[J = i] falls and P[J = j]
// rises, and at equal means they are equal. So P[J = i] >= P[J = j], and the first j of them sum to
// at most 1.
Finding monotone(const ClaimRequest& request, const RunControl& control) {
  auto finding =
      searched({.id = "ftnl-monotone", .claim = monotone_search(), .points = 1'500, .climbs = 4},
               request, control);
  finding.domain = fmt::format(
      "every K, eps, epoch and means, losses independent over actions, any noise that all actions "
      "share; search: {} epochs of up to 64 rounds with 2 to {} actions, the three noises, exact "
      "probabilities",
      finding.points(), kMostActions);
  finding.evidence = {
      "proof step: Bin(n, mu) grows with mu in stochastic order, so P[J = j] falls in mu_j and "
      "rises in mu_i; at equal means P[J = i] = P[J = j]",
      fmt::format("independent search: no probability grows with its own mean, is larger than a "
                  "better action's, or exceeds 1/j, by more than {}",
                  finding.excess())};
  return proved(finding, "a better action is chosen at least as often, by stochastic dominance");
}

SearchedClaim tail_search(LeaderNoise noise) {
  return {choice_space(8.0),
          [noise](const Point& point) {
            const auto means = sorted_means(point);
            const auto p = choices(noise, point[1], point[2], means);
            const double rounds = std::ldexp(1.0, static_cast<int>(point[2]) - 1);
            double worst = -HUGE_VAL;
            for (std::size_t j = 1; j < p.size(); ++j) {
              const double gap = means[j] - means[0];
              if (gap <= 0.0 || p[j] < 1e-250) continue;
              worst = std::max(
                  worst, portable_log(p[j] / 2.0) + rounds * gap * std::min(gap, point[1]) / 4.0);
            }
            return std::isinf(worst) ? std::nan("") : worst;
          },
          1e-9};
}

// Lemma 5 with c1 = 2, c2 = 8: P[J_r = j] <= 2 exp(-n D min(D, eps)/4), D = Delta_j. J = j needs
// Q_j - Q_1 > G_j - G_1, and Hoeffding gives P(G_j - G_1 <= n D/2) <= e^(-n D^2/4).
//   Exponential(1/eps)  P(Q_j - Q_1 > t) <= P(Q_j > t) = e^(-eps t), at t = n D/2: e^(-n D eps/2).
//   Gumbel(2/eps)       Q_j - Q_1 is logistic: P(. > t) <= e^(-eps t/2), there e^(-n D eps/4).
// Each sum is at most twice the larger term.
//   Laplace(2/eps)      P(Q_j - Q_1 > t) = e^(-eps t/2) (1/2 + eps t/8). With e = min(D, eps) and
//                       y = n D e/4 the same split gives e^(-y) (3/2 + y/4), enough while y <= 2.
//                       Above, Chernoff with theta = 0.3 e, E e^(theta (Q_j - Q_1)) <= (1 -
//                       0.36)^(-2) and E e^(-theta (G_j - G_1)) <= e^(-theta n D + theta^2 n/4) <=
//                       e^(-1.11 y):
//                         2.4415 e^(-1.11 y) <= 2 e^(-y) for y >= 2.                           (1)
// The check certifies (1); its slack grows with y.
Finding tail(const ClaimRequest& request, const RunControl& control) {
  const std::vector<Parameter> exponent{log_scale("y", 2.0, 1000.0)};
  const auto box = certify_box(
      exponent,
      [](const Cell& cell) {
        return portable_log(2.0) + 0.11 * cell[0].low - portable_log(1.0 / (0.64 * 0.64)) - 1e-12;
      },
      1000, control);
  ClaimFinding finding;
  finding.evaluations = box.cells;
  for (const auto noise : kLeaderNoises) {
    const auto part =
        searched({.id = "ftnl-tail", .claim = tail_search(noise), .points = 500, .climbs = 4},
                 request, control);
    finding.evaluations += part.evaluations;
    if (part.outcome.violation) {
      return contradiction(finding, point_text(part.space, *part.outcome.violation));
    }
    if (part.outcome.best.empty()) return not_refuted(finding, part.outcome, "margin");
    finding.evidence.push_back(fmt::format(
        "{}: exact P[J_r = j] reaches {}% of the bound, at {}", detail::value_text(noise),
        rounded_up(100.0 * portable_exp(part.outcome.margin), 4), part.closest()));
  }
  finding.domain =
      "every K, eps, epoch and losses on [0, 1] independent over actions, resampled or not; "
      "search: epochs of up to 64 rounds, 2 to 4 actions";
  return certified(
      finding, box,
      "Hoeffding at half of the gap and the tail of the noise beyond it; for Laplace noise "
      "Chernoff if that tail is too long");
}

}  // namespace assay::expert_checks
