#include "assay/auditors/experts/claims/conjecture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/experts/claims/checks.hpp"
#include "assay/auditors/experts/claims/frontier.hpp"
#include "assay/auditors/experts/claims/searches.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/numerics/count_distribution.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/experts/leader_noise.hpp"

namespace assay::expert_checks {
GrowthCounterexample growth_at(LeaderNoise noise, double epsilon, double gap, double split) {
  const double h = 1.0 / printed_scale(noise, epsilon);
  const double rho = -portable_log1p(gap * portable_expm1(-h));
  GrowthCounterexample growth{noise, epsilon, gap, split, 0.0, 0.0};
  growth.rate_below = 4.0 * gap * epsilon / split - rho;          // (2)
  growth.rate_above = (1.0 - gap) * (h - 4.0 * epsilon / split);  // (3)
  return growth;
}

SearchedClaim growth_search(LeaderNoise noise) {
  return {{real("eps", 0.05, 0.95), real("Delta_j", 0.05, 0.95), real("c2", 1.0, 16.0)},
          [noise](const Point& point) {
            if (point[1] <= point[0]) return std::nan("");
            const auto growth = growth_at(noise, point[0], point[1], point[2]);
            return std::min(growth.rate_below, growth.rate_above);
          },
          1e-9};
}

std::vector<Parameter> conjecture_space(int most_epochs, double most_actions) {
  return {whole("noise", 0, 2),
          log_scale("eps", 0.02, 0.98),
          whole("r", 1, static_cast<double>(most_epochs)),
          real("mu_1", 0.0, 0.9),
          log_scale("Delta_j", 0.02, 1.0),
          log_scale("gap of others", 0.02, 1.0),
          whole_log_scale("others", 1, most_actions + 1.0),
          log_scale("gap of more", 0.02, 1.0),
          whole_log_scale("more", 1, most_actions + 1.0)};
}

ConjectureInstance instance_of(const Point& point) {
  return {kLeaderNoises[static_cast<std::size_t>(point[0])],
          point[1],
          static_cast<int>(point[2]),
          point[3],
          point[4],
          {point[5], point[6] - 1.0},
          {point[7], point[8] - 1.0}};
}

bool admissible(const ConjectureInstance& instance) {
  const auto fits = [&](double gap) { return instance.best_mean + gap <= 1.0; };
  return instance.gap > instance.epsilon && fits(instance.gap) &&
         (instance.first.times == 0.0 || fits(instance.first.gap)) &&
         (instance.second.times == 0.0 || fits(instance.second.gap));
}

double log_needed_constant(const ConjectureInstance& instance, double c2) {
  if (!admissible(instance)) return std::nan("");
  const std::int64_t rounds = std::int64_t{1} << (instance.epoch - 1);
  const double temperature = 4.0 * static_cast<double>(rounds) * instance.epsilon / c2;
  const auto actions = [&](double mean, double times) {
    return ScoreGroup::of_losses(binomial_distribution(rounds, mean), times);
  };
  std::vector<ScoreGroup> groups{actions(instance.best_mean + instance.gap, 1.0),
                                 actions(instance.best_mean, 1.0)};
  double total = 1.0 + portable_exp(-temperature * instance.gap);
  for (const auto& other : {instance.first, instance.second}) {
    if (other.times == 0.0) continue;
    groups.push_back(actions(instance.best_mean + other.gap, other.times));
    if (other.gap > instance.epsilon) total += other.times * portable_exp(-temperature * other.gap);
  }
  const double log_p =
      leader_log_probabilities(printed_noise(instance.noise, instance.epsilon), groups)[0];
  if (log_p < kLeastMixedNoisyMaxLog) return std::nan("");
  return log_p + temperature * instance.gap + portable_log(total);
}

// Searches for a split, and the certificate is the refutation. The frontier shows the result of a
// search over instances of bounded size: how large c1 must be there.
Finding conjecture(const ClaimRequest& request, const RunControl& control) {
  ClaimFinding finding;
  std::optional<GrowthCounterexample> found;
  for (const auto noise : kLeaderNoises) {
    const auto outcome =
        search_claim({.id = "ftnl-conjecture", .claim = growth_search(noise), .points = 2'000},
                     request, control);
    finding.evaluations += outcome.evaluations;
    if (!outcome.violation) continue;
    const Point& at = *outcome.violation;
    const auto growth = growth_at(noise, at[0], at[1], at[2]);
    const auto check = check_by_its_kind({"ftnl-conjecture", growth});
    if (!check || !check->refutes) continue;
    found = growth;
    finding.evidence.push_back(fmt::format(
        "{} noise: no constants hold at eps = {}, Delta_j = {}, with c2 on either side of {}",
        detail::value_text(noise), number_text(at[0]), number_text(at[1]), number_text(at[2])));
  }
  FrontierPlan plan;
  plan.seed = request.seed;
  plan.chunks = std::max<std::int64_t>(1, scaled(48, request) / 16);
  plan.most_epochs = 6;
  plan.constants = {4.0, 8.0, 9.0, 16.0, 64.0};
  plan.most_actions = 1e6;
  const auto frontier = ASSAY_TRY(search_frontier(plan, {}, control));
  finding.evaluations += frontier.evaluations;
  finding.table = frontier_table(frontier);
  finding.domain = fmt::format(
      "every c1, c2 by the certificate; the table: {} instances of up to 32 rounds and 2e6 "
      "actions, eps from 0.02 to 0.98, exact probabilities, each row recomputed in 50 digits",
      grouped(frontier.evaluations));
  if (!found) {
    return undecided(finding,
                     "no pair of growing families was found; the table shows the frontier");
  }
  return refuted(finding, "ftnl-conjecture", *found);
}

}  // namespace assay::expert_checks
