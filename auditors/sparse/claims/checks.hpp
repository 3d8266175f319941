// The checks of the claims of "FLIPHAT" (Chakraborty, Roy, Basu). What each one computes, and why
// that decides, stands in its source file.
#pragma once

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay::sparse_checks {

using Finding = Result<ClaimFinding>;

// inequalities.cpp: projection, peeling without its privacy, tails
Finding projection_contracts(const ClaimRequest& request, const RunControl& control);
Finding peeling_contracts(const ClaimRequest& request, const RunControl& control);
Finding laplace_tails(const ClaimRequest& request, const RunControl& control);

// sensitivity.cpp: what a record moves, and clipping
Finding sensitivity(const ClaimRequest& request, const RunControl& control);
Finding clipping(const ClaimRequest& request, const RunControl& control);

// peeling.cpp: the level of Lemma A.2
Finding peeling_privacy(const ClaimRequest& request, const RunControl& control);
Finding peeling_privacy_in_range(const ClaimRequest& request, const RunControl& control);
Finding peeling_privacy_in_experiments(const ClaimRequest& request, const RunControl& control);

// rates.cpp: errors, regret and the lower bound
Finding niht_error(const ClaimRequest& request, const RunControl& control);
Finding regret_rates(const ClaimRequest& request, const RunControl& control);
Finding lower_bound(const ClaimRequest& request, const RunControl& control);

// joint_dp.cpp: Theorem 5.1
Finding joint_privacy(const ClaimRequest& request, const RunControl& control);
Finding joint_privacy_normalized(const ClaimRequest& request, const RunControl& control);
Finding joint_privacy_experiments(const ClaimRequest& request, const RunControl& control);

}  // namespace assay::sparse_checks
