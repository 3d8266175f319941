// The claims of "Improved Regret in Stochastic Decision-Theoretic Online Learning under
// Differential Privacy", as published.
#pragma once

#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

std::vector<RegisteredClaim> expert_claims();

}  // namespace assay
