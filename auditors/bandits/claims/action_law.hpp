// The law of one noisy argmax before and after a change of one mean: what the one-round claims need.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assay/auditors/bandits/claims/counterexamples.hpp"

namespace assay::thompson_sampling_checks {

// theta_i ~ N(means_i, scales_i^2), the mean of arm `changed` becoming `changed_mean`.
struct ArgmaxPair {
  std::vector<double> means;
  std::vector<double> scales;
  std::size_t changed = 0;
  double changed_mean = 0.0;
};

// log-probability of each arm, before (p) and after (q) the change; relative error 1e-14.
struct ActionLaws {
  std::vector<double> log_p;
  std::vector<double> log_q;
};
ActionLaws laws_of(const ArgmaxPair& pair);

// The arms whose probability fell by more than e^epsilon, and delta = sum of (p - e^epsilon q) over
// them: the best event against a level (epsilon, delta) in this orientation.
EventNumbers best_event(const ActionLaws& laws, double epsilon, double delta);

// How far the laws are from violating the level (epsilon, delta), for a search to climb:
// true delta - delta where they violate it, else true delta/delta - 1, and below -1 the distance of
// the largest log-ratio from epsilon where no arm's exceeds it.
double level_margin(const ActionLaws& laws, double epsilon, double delta);

// The smallest mu for which both orientations are mu-GDP.
double mu_of(const ActionLaws& laws);

// Thompson sampling with b = 0 after a history: mean_i = (sum of rewards)/(n_i + 1) and scale
// sqrt(c/(n_i + 1)); the changed entry of the history gets the new reward.
ArgmaxPair pair_after(int arms, double variance, std::span<const ArmPlays> history,
                      std::size_t changed_entry, double new_reward);

}  // namespace assay::thompson_sampling_checks
