// Regret of RNM-FTNL against T, K and eps, with the bounds from the theorems of Wu and Wang,
// "Improved Regret in Stochastic Decision-Theoretic Online Learning under Differential Privacy".
// The paper has no figures.
//
// Symbols: K experts, T rounds, Delta_j gap of expert j, J_r the leader that epoch r decides.
//
// Instances (the best expert is the last one, so that ties do not help follow the leader):
//   ftnl-gap            Bernoulli losses of mean (1 + gap)/2, the best (1 - gap)/2
//   ftnl-resampling     the example of Section 3.1: the best expert always loses 0.3, the others
//                       0.4 with probability 0.8, else 0
//   ftnl-deterministic  the instance of Theorem 3: 0 for the best, gap for two, 1 for the others
//
// The regret of RNM-FTNL is its exact expectation (policies/experts/expected_regret.hpp), not
// sampled. Follow the leader and the random-prefix policy are simulated, and so are all variants at
// one (T, K, eps), to check the exact values.
//
// Certainty: simulated final regrets, scaled to [0, 1] by T times the largest gap, get betting
// intervals, which share an alpha of 0.001 for each experiment evenly over its series. Shaded bands
// are pointwise normal approximations and decide nothing. Everything else is computed, to 1e-12.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/auditors/figures/experiment.hpp"
#include "assay/auditors/figures/figure_parts.hpp"
#include "assay/policies/environments/two_point_losses.hpp"

namespace assay {

struct ExpertsSetting : RunSetting {
  std::int64_t actions = 10;
  double epsilon = 1.0;
  double gap = 0.1;

  ExpertsSetting() { horizon = 16'384; }
};

// All figures, in the order above.
std::vector<Experiment> experts_figures();

namespace detail {

enum class ExpertsInstance { kOneGap, kResampling, kDeterministic };

// The losses of `actions` experts, at least 2 (kDeterministic: 3), with the best one last.
TwoPointLosses instance_losses(ExpertsInstance instance, std::int64_t actions, double gap);

// P[J_r = 2] without noise, in epochs of 1, 2, 4, ... rounds, for two experts. With equal sums each
// leads half of the time, as in the limit of small noise.
std::vector<double> worse_leads_without_noise(const TwoPointLosses& losses, bool resample,
                                              int epochs);

}  // namespace detail
}  // namespace assay
