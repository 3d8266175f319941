// The checks of the claims of "FLIPHAT" (Chakraborty, Roy, Basu). What each one computes, and why
// that decides, stands in its source file.
#pragma once

#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

// As published: what registry/claims.cpp lists.
std::vector<RegisteredClaim> sparse_claims();

}  // namespace assay

namespace assay::sparse_checks {

// inequalities.cpp: projection, peeling without its privacy, tails
ClaimCheck projection_contracts, peeling_contracts, laplace_tails;

// sensitivity.cpp: what a record moves, and clipping
ClaimCheck sensitivity, clipping;

// peeling.cpp: the level of Lemma A.2
ClaimCheck peeling_privacy, peeling_privacy_in_range, peeling_privacy_in_experiments;

// rates.cpp: errors, regret and the lower bound
ClaimCheck niht_error, regret_rates, lower_bound;

// joint_dp.cpp: Theorem 5.1
ClaimCheck joint_privacy, joint_privacy_normalized, joint_privacy_experiments;

}  // namespace assay::sparse_checks
