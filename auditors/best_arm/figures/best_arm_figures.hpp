// Figures 1 and 2 of Chen, Karthik, Chee, Tan, "Fixed-Budget Differentially Private Best Arm
// Identification" (ICLR 2024): how often each policy finds the best arm.
//
//   bai-fig1   K = 30, d = 2 (policies/best_arm/instances.hpp): success against T for every eps,
//              and against eps for some T; DP-BAI, Baseline, OD-LinBAI, DP-OD
//   bai-fig2   two arms (x, 0), (0, y), x = 1: success against y/x for two T and two eps
//
// The paper prints no grid. Here T runs from 100 to 5000. For smaller T, Baseline has hardly a pull for each arm in
// each phase. For larger T, DP-BAI errs so rarely that only the smallest levels distinguish it from OD-LinBAI. eps runs
// from 0.01, at which every private policy finds the best arm in less than four of five trials at any such T, to 10, at
// which the noise is smaller than the variation of the rewards. In Figure 2 an arm's rewards would exceed 1; see
// instances.hpp. DP-OD is the l1 reading, which is eps-DP (policies/best_arm/od_lin_bai.hpp). The paper has 1,000
// trials for each point. This experiment has 10,000, which are enough to decide its statements: at T = 100, eps = 0.01
// DP-OD is ahead.
//
// Certainty: Clopper-Pearson intervals of every success rate share an alpha of 0.001 for each
// experiment evenly. They alone decide the stated outcomes.
#pragma once

#include <vector>

#include "assay/auditors/figures/experiment.hpp"

namespace assay {

// All figures, in the order above.
std::vector<Experiment> best_arm_figures();

}  // namespace assay
