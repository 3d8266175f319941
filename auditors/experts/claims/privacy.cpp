// Theorems 1, 2, 4: RNM-FTNL with Laplace(2/eps), Exponential(1/eps) or Gumbel(2/eps) is eps-DP.
//
// Neighbours differ in one loss vector. It enters one epoch, which draws its choice J_r once. All
// other choices have the same distribution on D and D', so the loss of a run is that of one choice.
//
// Upper bound for every instance. Given the other noises, J = j means Q_j > t with a t that moves
// by at most 2: j's own sum moves by at most 1, the largest of the others by at most 1. Each of the
// three distributions of scale b has P(Q > t + 2) >= e^(-2/b) P(Q > t), so the loss is at most
//   2/b,                                                                                       (1)
// eps for Laplace(2/eps) and Gumbel(2/eps), 2 eps for Exponential(1/eps).
// Resampling (B = 1): coins of the other rounds are the same on D and D'. The vector's own coins
// make both distributions mixtures over its outcomes in {0, 1}^K. (1) holds between any two
// components, hence between the mixtures.
//
// Worst pair. P[J = j] does not increase in the own sum, nor decrease in another's. So for
// an output j the vectors (0 for j, 1 for the others) and (1 for j, 0 for the others) have the
// largest loss. The search covers these, over K, eps, the rest of the epoch, and whether losses are
// resampled.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <variant>

#include "assay/auditors/claims/verdicts.hpp"
#include "assay/auditors/experts/claims/checks.hpp"
#include "assay/auditors/experts/claims/searches.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/noisy_max/noisy_max_distribution.hpp"
#include "assay/mechanisms/numerics/count_distribution.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/policies/experts/leader_noise.hpp"

namespace assay::expert_checks {
namespace {

constexpr int kMostActions = 5;

// The parameters are the number of actions, eps, whether losses are resampled, the epoch's rounds
// other than the changed one, and for each action the share of them with a loss. The output is
// action 1, as nothing depends on the names.
std::vector<Parameter> epoch_space() {
  std::vector<Parameter> space{whole("K", 2, kMostActions), log_scale("eps", 0.05, 4.0),
                               whole("B", 0, 1), whole("other rounds", 0, 15)};
  for (int i = 1; i <= kMostActions; ++i) space.push_back({"share " + std::to_string(i)});
  return space;
}

EpochCounterexample epoch_at(LeaderNoise noise, const Point& point) {
  EpochCounterexample epoch;
  const auto actions = static_cast<std::size_t>(point[0]);
  epoch.noise = noise;
  epoch.epsilon = point[1];
  for (std::size_t i = 0; i < actions; ++i) epoch.others.push_back(point[3] * point[4 + i]);
  epoch.before.assign(actions, 1.0);
  epoch.before[0] = 0.0;
  epoch.after.assign(actions, 0.0);
  epoch.after[0] = 1.0;
  return epoch;
}

// log P[J = 1] with the vector added to the epoch's other losses, B = 0.
double log_choice(const EpochCounterexample& epoch, const std::vector<double>& vector) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < vector.size(); ++i) scores.push_back(-epoch.others[i] - vector[i]);
  const auto distribution =
      std::visit([](const auto& noise) { return MaxNoiseDistribution(noise); },
                 printed_noise(epoch.noise, epoch.epsilon));
  return noisy_max_log_probability(distribution, scores, 0);
}

// The same for B = 1, where every other round has a loss with probability `share`.
double log_resampled_choice(LeaderNoise noise, const Point& point,
                            const std::vector<double>& vector) {
  std::vector<ScoreGroup> groups;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    auto losses = binomial_distribution(static_cast<std::int64_t>(point[3]), point[4 + i]);
    losses.least += vector[i];
    groups.push_back(ScoreGroup::of_losses(losses));
  }
  return leader_log_probabilities(printed_noise(noise, point[1]), groups)[0];
}

double loss_at(LeaderNoise noise, const Point& point) {
  const auto epoch = epoch_at(noise, point);
  if (point[2] != 0.0) {
    return log_resampled_choice(noise, point, epoch.before) -
           log_resampled_choice(noise, point, epoch.after);
  }
  return log_choice(epoch, epoch.before) - log_choice(epoch, epoch.after);
}

// K actions in the first epoch at eps = 1, which has only the changed vector.
double first_epoch_loss(LeaderNoise noise, double actions) {
  const auto log_choice_at = [&](double own, double others) {
    const std::vector<ScoreGroup> groups{ScoreGroup::fixed(-own),
                                         ScoreGroup::fixed(-others, actions - 1.0)};
    return leader_log_probabilities(printed_noise(noise, 1.0), groups)[0];
  };
  return log_choice_at(0.0, 1.0) - log_choice_at(1.0, 0.0);
}

std::string first_epoch_losses(LeaderNoise noise) {
  std::string text;
  for (const double actions : {2.0, 3.0, 10.0, 1000.0}) {
    text += fmt::format("{}{} with {} actions", text.empty() ? "" : ", ",
                        rounded(first_epoch_loss(noise, actions), 11), number_text(actions));
  }
  return "in the first epoch at eps = 1, with vectors (0, 1, ..., 1) and (1, 0, ..., 0): loss " +
         text;
}

Finding privacy(LeaderNoise noise, std::string_view id, const ClaimRequest& request,
                const RunControl& control) {
  // The loss grows with eps, so the search prefers a simple pair.
  auto finding = searched(
      {.id = id, .claim = privacy_search(noise), .points = 1'000, .keep = 0.1, .climbs = 4},
      request, control);
  finding.domain = fmt::format(
      "{} epochs of up to 16 rounds with 2 to {} actions, eps from 0.05 to 4, losses resampled or "
      "not, exact probabilities",
      finding.points(), kMostActions);
  const double level = 2.0 / printed_scale(noise, 1.0);  // (1), in units of eps
  if (level > 1.0) {
    const auto refutation_at = [noise](Point point) {
      point[2] = 0.0;  // the certificate has B = 0
      auto epoch = epoch_at(noise, point);
      const double log_p = log_choice(epoch, epoch.before);
      const double log_q = log_choice(epoch, epoch.after);
      epoch.p = portable_exp(log_p);
      epoch.q = portable_exp(log_q);
      epoch.loss = log_p - log_q;
      return epoch;
    };
    return refuted_or_not(finding, "loss less eps", refutation_at,
                          {first_epoch_losses(noise) + "; never above 2 eps"});
  }
  finding.evidence = {
      "proof step: given the other noises the choice of j is Q_j > t, t moves by at most 2, and "
      "P(Q > t + 2) >= e^(-2/b) P(Q > t) at scale b = 2/eps",
      fmt::format("independent search of exact losses: none above eps by more than {}",
                  finding.excess()),
      first_epoch_losses(noise)};
  finding.domain =
      "every K, eps, epoch and pair of vectors, B = 0 and 1; search: " + finding.domain;
  return proved(finding,
                "one choice loses at most 2/b = eps, and no other choice reads the changed vector");
}

}  // namespace

SearchedClaim privacy_search(LeaderNoise noise) {
  return {epoch_space(), [noise](const Point& point) { return loss_at(noise, point) - point[1]; },
          1e-9};
}

Finding laplace_privacy(const ClaimRequest& request, const RunControl& control) {
  return privacy(LeaderNoise::kLaplace, "ftnl-dp-laplace", request, control);
}
Finding exponential_privacy(const ClaimRequest& request, const RunControl& control) {
  return privacy(LeaderNoise::kExponential, "ftnl-dp-exponential", request, control);
}
Finding gumbel_privacy(const ClaimRequest& request, const RunControl& control) {
  return privacy(LeaderNoise::kGumbel, "ftnl-dp-gumbel", request, control);
}

}  // namespace assay::expert_checks
