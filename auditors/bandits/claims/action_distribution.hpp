// The distribution of one noisy argmax before and after a change of one mean, for the claims about one round.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/auditors/bandits/claims/counterexamples.hpp"

namespace assay::thompson_sampling_checks {

// theta_i ~ N(means_i, scales_i^2). The mean of arm `changed` becomes `changed_mean`.
struct ArgmaxPair {
  std::vector<double> means;
  std::vector<double> scales;
  std::size_t changed = 0;
  double changed_mean = 0.0;
};

// The log-probability of each arm, before (p) and after (q) the change, with a relative error of 1e-14.
struct ActionDistributions {
  std::vector<double> log_p;
  std::vector<double> log_q;
};
ActionDistributions distributions_of(const ArgmaxPair& pair);

// The best event against a level (epsilon, delta) in this orientation: the arms with p > e^epsilon
// q. Its delta is the sum of p - e^epsilon q over them.
EventNumbers best_event(const ActionDistributions& distributions, double epsilon, double delta);

// The margin that a search against the level (epsilon, delta) climbs: true delta - delta if the
// distributions violate it, otherwise true delta/delta - 1. If no arm's log-ratio exceeds epsilon,
// it is below -1 by the distance of the largest log-ratio from epsilon.
double level_margin(const ActionDistributions& distributions, double epsilon, double delta);

// The smallest mu for which both orientations are mu-GDP.
double mu_of(const ActionDistributions& distributions);

// Thompson sampling with b = 0 after a history: mean_i = (sum of rewards)/(n_i + 1) and scale
// sqrt(c/(n_i + 1)). In the neighbour the changed entry of the history has another reward.
ArgmaxPair pair_after(int arms, double variance, std::span<const ArmPlays> history,
                      std::size_t changed_entry, double neighbour_reward);

}  // namespace assay::thompson_sampling_checks
