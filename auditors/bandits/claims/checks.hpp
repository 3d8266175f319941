// The checks of the claims of "Thompson Sampling Itself is Differentially Private" (Ou, Avella
// Medina, Cummings). What each one computes, and why that decides, stands in its source file.
#pragma once

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay::thompson_sampling_checks {

using Finding = Result<ClaimFinding>;

// one_round.cpp: the law of one action, given the past
Finding step_gdp(const ClaimRequest& request, const RunControl& control);
Finding step_dp(const ClaimRequest& request, const RunControl& control);
Finding printed_variance(const ClaimRequest& request, const RunControl& control);
Finding sensitivity(const ClaimRequest& request, const RunControl& control);

// noisy_max.cpp
Finding noisy_max(const ClaimRequest& request, const RunControl& control);

// gaussian_dp.cpp: what is used of Gaussian differential privacy
Finding duality(const ClaimRequest& request, const RunControl& control);
Finding composition(const ClaimRequest& request, const RunControl& control);

// whole_run.cpp: the levels of T rounds
Finding run_gdp(const ClaimRequest& request, const RunControl& control);
Finding run_dp(const ClaimRequest& request, const RunControl& control);
Finding modified_gdp(const ClaimRequest& request, const RunControl& control);
Finding advanced_composition(const ClaimRequest& request, const RunControl& control);
Finding renyi(const ClaimRequest& request, const RunControl& control);
Finding looseness(const ClaimRequest& request, const RunControl& control);

// regret_lemmas.cpp: the three parts of the regret proof
Finding lemma_6(const ClaimRequest& request, const RunControl& control);
Finding lemma_7(const ClaimRequest& request, const RunControl& control);
Finding lemma_9(const ClaimRequest& request, const RunControl& control);

// regret_runs.cpp: what the bounds say of runs
Finding pulls(const ClaimRequest& request, const RunControl& control);
Finding regret(const ClaimRequest& request, const RunControl& control);

}  // namespace assay::thompson_sampling_checks
