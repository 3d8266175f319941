// The claims of "FLIPHAT: Joint Differential Privacy for High Dimensional Sparse Linear Bandits", as
// published.
#pragma once

#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

std::vector<RegisteredClaim> sparse_claims();

}  // namespace assay
