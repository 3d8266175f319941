#include "assay/policies/experts/expected_regret.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/numerics/count_distribution.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay {
namespace {

constexpr double kLeftOut = 1e-36;  // of the largest weight; a distribution has at most 1e5

// Units of which both losses of every distribution are multiples, up to the rounding of 0.3;
// nothing if none of 1, 1/10, 1/100, 1/1000 is such a unit.
std::optional<double> units_per_loss(std::span<const ExpertsOfDistribution> experts) {
  const auto is_whole = [](double x) { return std::fabs(x - std::round(x)) < 1e-9; };
  for (const double units : {1.0, 10.0, 100.0, 1000.0}) {
    if (std::all_of(experts.begin(), experts.end(), [&](const ExpertsOfDistribution& some) {
          return is_whole(units * some.distribution.low) &&
                 is_whole(units * some.distribution.high);
        })) {
      return units;
    }
  }
  return std::nullopt;
}

CountDistribution without_tails(CountDistribution distribution) {
  const double least =
      kLeftOut * *std::max_element(distribution.weights.begin(), distribution.weights.end());
  const auto keeps = [least](double weight) { return weight >= least; };
  const auto first = std::find_if(distribution.weights.begin(), distribution.weights.end(), keeps);
  const auto last =
      std::find_if(distribution.weights.rbegin(), distribution.weights.rend(), keeps).base();
  return {distribution.least + static_cast<double>(first - distribution.weights.begin()),
          {first, last}};
}

// (2), in units.
ScoreGroup score_group(const ExpertsOfDistribution& experts, bool resample, std::int64_t rounds,
                       double units) {
  const TwoPointDistribution& distribution = experts.distribution;
  if (resample) {
    return ScoreGroup::of_losses(without_tails(binomial_distribution(rounds, distribution.mean())),
                                 experts.count);
  }
  const auto in_units = [units](double loss) {
    const double scaled = units * loss;
    return std::fabs(scaled - std::round(scaled)) < 1e-9 ? std::round(scaled) : scaled;
  };
  const double n = static_cast<double>(rounds);
  const double low = in_units(distribution.low);
  const double high = in_units(distribution.high);
  if (low == high) return ScoreGroup::fixed(-n * low, experts.count);
  const CountDistribution highs =
      without_tails(binomial_distribution(rounds, distribution.probability));
  ScoreGroup group{{}, highs.weights, experts.count};
  for (std::size_t k = 0; k < highs.weights.size(); ++k) {
    const double count = highs.least + static_cast<double>(k);
    group.values.push_back(-(count * high + (n - count) * low));
  }
  return group;
}

// The noise in units.
LeaderNoiseDistribution times(const LeaderNoiseDistribution& noise, double units) {
  const double scale =
      std::visit([](const auto& distribution) { return distribution.scale(); }, noise);
  return leader_noise(static_cast<LeaderNoise>(noise.index()), scale * units).value();
}

// The mean gap of the leader. `probabilities` are those of one expert of each distribution.
double mean_gap(std::span<const ExpertsOfDistribution> experts,
                std::span<const double> probabilities) {
  double best = experts[0].distribution.mean();
  for (const auto& some : experts) best = std::min(best, some.distribution.mean());
  double sum = 0.0;
  for (std::size_t g = 0; g < experts.size(); ++g) {
    sum += experts[g].count * (experts[g].distribution.mean() - best) * probabilities[g];
  }
  return sum;
}

}  // namespace

double ExpectedRegret::after(std::int64_t rounds) const {
  double regret = 0.0;
  for (std::size_t r = 0; r < gap_of_epoch.size(); ++r) {
    const std::int64_t first = std::int64_t{1} << r;
    if (first > rounds) break;
    regret += static_cast<double>(std::min(first, rounds - first + 1)) * gap_of_epoch[r];  // (1)
  }
  return regret;
}

ExpectedRegret expected_regret(const LeaderNoiseDistribution& noise, bool resample,
                               std::span<const ExpertsOfDistribution> experts,
                               std::int64_t horizon) {
  ASSAY_CHECK(!experts.empty() && horizon >= 1, "experts and rounds");
  const double units = resample ? 1.0 : units_per_loss(experts).value_or(1.0);
  const LeaderNoiseDistribution scaled = times(noise, units);
  double count = 0.0;
  for (const auto& some : experts) count += some.count;
  ExpectedRegret regret;
  regret.gap_of_epoch.push_back(
      mean_gap(experts, std::vector<double>(experts.size(), 1.0 / count)));
  for (int r = 1; r <= last_read_epoch(horizon); ++r) {
    std::vector<ScoreGroup> scores;
    for (const auto& some : experts) {
      scores.push_back(score_group(some, resample, std::int64_t{1} << (r - 1), units));
    }
    auto distribution = leader_log_probabilities(scaled, scores);
    for (double& p : distribution) p = portable_exp(p);
    regret.gap_of_epoch.push_back(mean_gap(experts, distribution));
  }
  return regret;
}

ExpectedRegret expected_regret(const RnmFtnl& policy, const TwoPointLosses& losses) {
  ASSAY_CHECK(losses.actions() == policy.config().actions, "one distribution per expert");
  std::vector<ExpertsOfDistribution> experts;
  for (const TwoPointDistribution& distribution : losses.distributions()) {
    const auto known = std::find_if(
        experts.begin(), experts.end(),
        [&](const ExpertsOfDistribution& some) { return some.distribution == distribution; });
    if (known != experts.end()) {
      known->count += 1.0;
    } else {
      experts.push_back({distribution, 1.0});
    }
  }
  return expected_regret(policy.noise(), policy.config().resample, experts,
                         policy.config().horizon);
}

}  // namespace assay
