// The checks of the claims of "FLIPHAT" (Chakraborty, Roy, Basu). Each source file explains what
// its check computes and why that decides the claim.
#pragma once

#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

// The claims as they were published, for registry/claims.cpp.
std::vector<RegisteredClaim> sparse_claims();

}  // namespace assay

namespace assay::sparse_checks {

// inequalities.cpp: projection, peeling without its privacy, tails
ClaimCheck projection_contracts, peeling_contracts, peeling_contracts_as_printed, laplace_tails;

// sensitivity.cpp: the effect of a record, and clipping
ClaimCheck sensitivity, clipping;

// peeling.cpp: the level of Lemma A.2
ClaimCheck peeling_privacy, peeling_privacy_in_range, peeling_privacy_in_experiments;

// rates.cpp: errors, regret and the lower bound
ClaimCheck niht_error, regret_rates, lower_bound;

// joint_dp.cpp: Theorem 5.1
ClaimCheck joint_privacy, joint_privacy_normalized, joint_privacy_experiments;

}  // namespace assay::sparse_checks
