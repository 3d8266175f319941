// Regret and eliminations of dueling policies. The paper (Saha, Asi, "DP-Dueling") has no
// experiments; these figures follow its theorems.
//
//   duel-horizon       regret against T: elimination with central, local and no privacy, GOptimal-
//                      DPDB, RUCB, RMED1, Double Thompson Sampling
//   duel-arms          final regret against K
//   duel-epsilon       final regret against eps
//   duel-eliminations  when the first arm leaves, and when one is left, against eps
//   duel-phases        the T from which the printed constants have any effect; computed
//
// Arms have scores evenly from 1 to -1, which is as far apart as the paper's unit balls allow. GOptimal-DPDB gets them
// as items on the circle. DP-EBS has the smallest noise for its level and exact radii (calibration = corrected,
// radius = exact). GOptimal-DPDB has a thousandth of the printed phase lengths. As printed, neither does anything at
// these horizons, as duel-phases shows.
//
// Certainty: betting intervals of mean final regrets share an alpha of 0.001 for each experiment.
#pragma once

#include <vector>

#include "assay/auditors/figures/experiment.hpp"

namespace assay {

// All figures, in the order above.
std::vector<Experiment> dueling_figures();

}  // namespace assay
