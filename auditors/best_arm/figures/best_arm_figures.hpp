// Figures 1 and 2 of Chen, Karthik, Chee, Tan, "Fixed-Budget Differentially Private Best Arm
// Identification" (ICLR 2024): how often each policy finds the best arm.
//
//   bai-fig1   K = 30, d = 2 (policies/best_arm/instances.hpp): success against T for every eps,
//              and against eps for some T; DP-BAI, Baseline, OD-LinBAI, DP-OD
//   bai-fig2   two arms (x, 0), (0, y), x = 1: success against y/x for two T and two eps
//
// The paper prints no grid. Here T runs from 100 to 5000: below, Baseline has hardly a pull for
// each arm in each phase, and beyond DP-BAI errs too rarely to be told from OD-LinBAI but at the
// smallest levels. eps runs from 0.01, where every private policy finds the best arm in less than
// four of five trials at any such T, to 10, where noise is smaller than what the rewards vary by. In
// Figure 2 an arm's rewards would exceed 1; see instances.hpp. DP-OD is the l1 reading, which is
// eps-DP (policies/best_arm/od_lin_bai.hpp). The paper has 1,000 trials a point; here 10,000, at
// which what it says is decided: at T = 100, eps = 0.01 DP-OD is ahead.
//
// Certainty: Clopper-Pearson intervals of every success rate, of one alpha of 0.001 an experiment,
// shared out evenly. Stated outcomes are decided by these alone.
#pragma once

#include <vector>

#include "assay/auditors/figures/experiment.hpp"

namespace assay {

// All of them, in order.
std::vector<Experiment> best_arm_figures();

}  // namespace assay
