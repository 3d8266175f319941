// The checks of the claims of "Fixed-Budget Differentially Private Best Arm Identification" (Chen,
// Karthik, Chee, Tan). Each source file explains what its check computes and why that decides the
// claim.
#pragma once

#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

// The claims as they were published, for registry/claims.cpp.
std::vector<RegisteredClaim> best_arm_claims();

}  // namespace assay

namespace assay::best_arm_checks {

// gaussian.cpp: the classical constant of Gaussian noise
ClaimCheck gaussian_transcript, gaussian_release;

// privacy.cpp: levels of releases and of recommendations
ClaimCheck laplace_privacy, moments_l1, moments_l2, moments_literal;

// relations.cpp: tables, early stopping, change of measure
ClaimCheck table_equivalence, early_stopping, change_of_measure;

// structure.cpp
ClaimCheck max_det, budget, hardness_parts;

// errors.cpp: error probabilities
ClaimCheck pairwise, error_bound, error_bound_in_one_dimension, lower_family, features_ratio;

}  // namespace assay::best_arm_checks
