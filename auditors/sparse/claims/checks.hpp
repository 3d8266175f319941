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

}  // namespace assay::sparse_checks
