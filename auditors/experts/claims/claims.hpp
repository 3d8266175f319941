// The claims of "Improved Regret in Stochastic Decision-Theoretic Online Learning under
// Differential Privacy", as published.
#pragma once

#include <vector>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

std::vector<RegisteredClaim> expert_claims();

// The kinds of counterexamples that refute them.
CounterexampleKinds expert_counterexamples();

}  // namespace assay
