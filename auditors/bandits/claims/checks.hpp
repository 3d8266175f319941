// The checks of the claims of "Thompson Sampling Itself is Differentially Private" (Ou, Avella
// Medina, Cummings). Each source file explains what its check computes and why that decides the
// claim.
#pragma once

#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

// The claims as they were published, for registry/claims.cpp.
std::vector<RegisteredClaim> thompson_sampling_claims();

}  // namespace assay

namespace assay::thompson_sampling_checks {

// one_round.cpp: the distribution of one action, given the past
ClaimCheck step_gdp, step_dp, printed_variance, sensitivity;

// noisy_max.cpp
ClaimCheck noisy_max;

// gaussian_dp.cpp: the parts of Gaussian differential privacy that the paper uses
ClaimCheck duality, composition;

// whole_run.cpp: the levels of T rounds
ClaimCheck run_gdp, run_dp, modified_gdp, advanced_composition, renyi, looseness;

// regret_lemmas.cpp: the three parts of the regret proof
ClaimCheck lemma_6, lemma_7, lemma_9;

// regret_runs.cpp: the bounds, compared with runs
ClaimCheck pulls, regret;

}  // namespace assay::thompson_sampling_checks
