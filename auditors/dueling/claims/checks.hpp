// The checks of the claims of "DP-Dueling" (Saha, Asi). Each source file explains what its check
// computes and why that decides the claim.
#pragma once

#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

// The claims as they were published, for registry/claims.cpp.
std::vector<RegisteredClaim> dueling_claims();

}  // namespace assay

namespace assay::dueling_checks {

// borda.cpp: effective Borda scores
ClaimCheck borda_spread, borda_lead, borda_lead_doubled, transitivity, score_gap;

// levels.cpp: levels of releases
ClaimCheck elimination_privacy, tree_privacy, design_privacy, design_privacy_of_proof;

// estimates.cpp: noise, estimates and their intervals
ClaimCheck tree_accuracy, unbiased_set, unbiased_phase, coverage, coverage_of_listing;

// regret.cpp: pulls and regret
ClaimCheck pulls, duel_regret, duel_lower;

// printed.cpp: statements as printed, beside the claims that repair or narrow them
ClaimCheck listed_elimination, removal_coverage, coverage_as_printed, tree_accuracy_as_printed,
    duel_lower_as_printed;

// designs.cpp: GOptimal-DPDB
ClaimCheck kiefer_wolfowitz, phase_length, slope, slope_of_listing, score_confidence,
    difference_confidence;

}  // namespace assay::dueling_checks
