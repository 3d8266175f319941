// bai-gauss-map: the (eps, delta) at which the classical constant is enough for DP-BAI-Gauss, for
// what it releases and for what it shows (auditors/best_arm/claims/gaussian_levels.hpp). Computed.
#pragma once

#include "assay/auditors/figures/experiment.hpp"

namespace assay::detail {

Experiment gaussian_map();

}  // namespace assay::detail
