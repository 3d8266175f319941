// bai-gauss-map: the (eps, delta) at which the classical constant is enough for DP-BAI-Gauss, for
// its release and for its actions (auditors/best_arm/claims/gaussian_levels.hpp). The figure is computed
// and not simulated.
#pragma once

#include "assay/auditors/figures/experiment.hpp"

namespace assay::detail {

Experiment gaussian_map();

}  // namespace assay::detail
