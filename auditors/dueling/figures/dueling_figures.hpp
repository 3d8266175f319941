// Regret and eliminations of dueling policies: the paper (Saha, Asi, "DP-Dueling") has no
// experiments; these are read off its theorems.
//
//   duel-horizon       regret against T: elimination with central, local and no privacy, GOptimal-
//                      DPDB, RUCB, RMED1, Double Thompson Sampling
//   duel-arms          final regret against K
//   duel-epsilon       final regret against eps
//   duel-eliminations  when the first arm leaves, and when one is left, against eps
//   duel-phases        the T at which the printed constants let anything happen; computed
//
// Arms have scores evenly from 1 to -1, which is as far apart as the paper's unit balls allow;
// GOptimal-DPDB gets them as items on the circle. DP-EBS has the smallest noise that its level asks
// and exact radii (calibration = corrected, radius = exact), GOptimal-DPDB a thousandth of the printed
// phase lengths: as printed neither does anything here, which is what duel-phases shows.
//
// Certainty: betting intervals of mean final regrets, of one alpha of 0.001 an experiment.
#pragma once

#include <vector>

#include "assay/auditors/figures/experiment.hpp"

namespace assay {

// All of them, in order.
std::vector<Experiment> dueling_figures();

}  // namespace assay
