// The checks of the claims of "Thompson Sampling Itself is Differentially Private" (Ou, Avella
// Medina, Cummings). What each one computes, and why that decides, stands in its source file.
#pragma once

#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

// As published: what registry/claims.cpp lists.
std::vector<RegisteredClaim> thompson_sampling_claims();

}  // namespace assay

namespace assay::thompson_sampling_checks {

// one_round.cpp: the law of one action, given the past
ClaimCheck step_gdp, step_dp, printed_variance, sensitivity;

// noisy_max.cpp
ClaimCheck noisy_max;

// gaussian_dp.cpp: what is used of Gaussian differential privacy
ClaimCheck duality, composition;

// whole_run.cpp: the levels of T rounds
ClaimCheck run_gdp, run_dp, modified_gdp, advanced_composition, renyi, looseness;

// regret_lemmas.cpp: the three parts of the regret proof
ClaimCheck lemma_6, lemma_7, lemma_9;

// regret_runs.cpp: what the bounds say of runs
ClaimCheck pulls, regret;

}  // namespace assay::thompson_sampling_checks
