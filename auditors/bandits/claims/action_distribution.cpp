#include "assay/auditors/bandits/claims/action_distribution.hpp"

#include <algorithm>
#include <cmath>

#include "assay/auditors/methods/exact.hpp"
#include "assay/mechanisms/noisy_max/gaussian_argmax.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"

namespace assay::thompson_sampling_checks {

ActionDistributions distributions_of(const ArgmaxPair& pair) {
  ActionDistributions distributions;
  distributions.log_p.resize(pair.means.size());
  distributions.log_q.resize(pair.means.size());
  log_argmax_probabilities_pair(pair.means, pair.scales, static_cast<int>(pair.changed),
                                pair.changed_mean, ArgmaxPrecision::kExact, distributions.log_p,
                                distributions.log_q);
  return distributions;
}

EventNumbers best_event(const ActionDistributions& distributions, double epsilon, double delta) {
  EventNumbers numbers;
  numbers.epsilon = epsilon;
  numbers.delta = delta;
  for (std::size_t a = 0; a < distributions.log_p.size(); ++a) {
    if (distributions.log_p[a] - distributions.log_q[a] <= epsilon) continue;
    numbers.event.push_back(static_cast<int>(a));
    numbers.p += portable_exp(distributions.log_p[a]);
    numbers.q += portable_exp(distributions.log_q[a]);
  }
  numbers.true_delta = numbers.p - portable_exp(epsilon) * numbers.q;
  return numbers;
}

double level_margin(const ActionDistributions& distributions, double epsilon, double delta) {
  const auto numbers = best_event(distributions, epsilon, delta);
  if (numbers.true_delta > delta) return numbers.true_delta - delta;
  if (!numbers.event.empty()) return numbers.true_delta / delta - 1.0;
  double largest = -HUGE_VAL;
  for (std::size_t a = 0; a < distributions.log_p.size(); ++a) {
    largest = std::max(largest, distributions.log_p[a] - distributions.log_q[a]);
  }
  return largest - epsilon - 1.0;
}

double mu_of(const ActionDistributions& distributions) {
  const auto exact = ExactLoss::create({distributions.log_p, distributions.log_q, 1e-13});
  return exact ? exact->mu().upper.value.value : std::nan("");
}

ArgmaxPair pair_after(int arms, double variance, std::span<const ArmPlays> history,
                      std::size_t changed_entry, double neighbour_reward) {
  const auto count = static_cast<std::size_t>(arms);
  std::vector<double> plays(count, 0.0);
  std::vector<double> sums(count, 0.0);
  for (const ArmPlays& entry : history) {
    const auto arm = static_cast<std::size_t>(entry.arm);
    plays[arm] += static_cast<double>(entry.times);
    sums[arm] += static_cast<double>(entry.times) * entry.reward;
  }
  ArgmaxPair pair;
  for (std::size_t i = 0; i < count; ++i) {
    pair.means.push_back(sums[i] / (plays[i] + 1.0));
    pair.scales.push_back(std::sqrt(variance / (plays[i] + 1.0)));
  }
  const ArmPlays& entry = history[changed_entry];
  pair.changed = static_cast<std::size_t>(entry.arm);
  const double changed_sum = sums[pair.changed] - entry.reward + neighbour_reward;
  pair.changed_mean = changed_sum / (plays[pair.changed] + 1.0);
  return pair;
}

}  // namespace assay::thompson_sampling_checks
