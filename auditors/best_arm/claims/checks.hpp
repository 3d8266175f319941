// The checks of the claims of "Fixed-Budget Differentially Private Best Arm Identification" (Chen,
// Karthik, Chee, Tan). What each one computes, and why that decides, stands in its source file.
#pragma once

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay::best_arm_checks {

using Finding = Result<ClaimFinding>;

// gaussian.cpp: the classical constant of Gaussian noise
Finding gaussian_transcript(const ClaimRequest& request, const RunControl& control);
Finding gaussian_release(const ClaimRequest& request, const RunControl& control);

// privacy.cpp: what is released, and to whom
Finding laplace_privacy(const ClaimRequest& request, const RunControl& control);
Finding moments_l1(const ClaimRequest& request, const RunControl& control);
Finding moments_l2(const ClaimRequest& request, const RunControl& control);
Finding moments_literal(const ClaimRequest& request, const RunControl& control);

// relations.cpp: tables, early stopping, change of measure
Finding table_equivalence(const ClaimRequest& request, const RunControl& control);
Finding early_stopping(const ClaimRequest& request, const RunControl& control);
Finding change_of_measure(const ClaimRequest& request, const RunControl& control);

// structure.cpp
Finding max_det(const ClaimRequest& request, const RunControl& control);
Finding budget(const ClaimRequest& request, const RunControl& control);
Finding hardness_parts(const ClaimRequest& request, const RunControl& control);

// errors.cpp: error probabilities
Finding pairwise(const ClaimRequest& request, const RunControl& control);
Finding error_bound(const ClaimRequest& request, const RunControl& control);
Finding lower_family(const ClaimRequest& request, const RunControl& control);
Finding features_ratio(const ClaimRequest& request, const RunControl& control);

}  // namespace assay::best_arm_checks
