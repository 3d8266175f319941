// The checks of the claims of "DP-Dueling" (Saha, Asi). What each one computes, and why that
// decides, stands in its source file.
#pragma once

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay::dueling_checks {

using Finding = Result<ClaimFinding>;

// borda.cpp: effective Borda scores
Finding borda_spread(const ClaimRequest& request, const RunControl& control);
Finding borda_lead(const ClaimRequest& request, const RunControl& control);
Finding borda_lead_doubled(const ClaimRequest& request, const RunControl& control);
Finding transitivity(const ClaimRequest& request, const RunControl& control);
Finding score_gap(const ClaimRequest& request, const RunControl& control);

// levels.cpp: what is released
Finding elimination_privacy(const ClaimRequest& request, const RunControl& control);
Finding tree_privacy(const ClaimRequest& request, const RunControl& control);
Finding design_privacy(const ClaimRequest& request, const RunControl& control);
Finding design_privacy_of_proof(const ClaimRequest& request, const RunControl& control);

// estimates.cpp: noise, estimates and their intervals
Finding tree_accuracy(const ClaimRequest& request, const RunControl& control);
Finding unbiased_set(const ClaimRequest& request, const RunControl& control);
Finding unbiased_phase(const ClaimRequest& request, const RunControl& control);
Finding coverage(const ClaimRequest& request, const RunControl& control);
Finding coverage_of_listing(const ClaimRequest& request, const RunControl& control);

// regret.cpp: pulls and regret
Finding pulls(const ClaimRequest& request, const RunControl& control);
Finding duel_regret(const ClaimRequest& request, const RunControl& control);
Finding duel_lower(const ClaimRequest& request, const RunControl& control);

// designs.cpp: GOptimal-DPDB
Finding kiefer_wolfowitz(const ClaimRequest& request, const RunControl& control);
Finding phase_length(const ClaimRequest& request, const RunControl& control);
Finding slope(const ClaimRequest& request, const RunControl& control);
Finding slope_of_listing(const ClaimRequest& request, const RunControl& control);
Finding score_confidence(const ClaimRequest& request, const RunControl& control);
Finding difference_confidence(const ClaimRequest& request, const RunControl& control);

}  // namespace assay::dueling_checks
