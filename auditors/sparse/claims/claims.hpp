// The claims of "FLIPHAT: Joint Differential Privacy for High Dimensional Sparse Linear Bandits", as
// published.
#pragma once

#include <vector>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

std::vector<RegisteredClaim> sparse_claims();

// The kinds of counterexamples that refute them.
CounterexampleKinds sparse_counterexamples();

}  // namespace assay
