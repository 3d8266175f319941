// The claims of "Fixed-Budget Differentially Private Best Arm Identification", as published.
#pragma once

#include <vector>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

std::vector<RegisteredClaim> best_arm_claims();

// The kinds of counterexamples that refute them.
CounterexampleKinds best_arm_counterexamples();

}  // namespace assay
