// The claims of "DP-Dueling: Learning from Preference Feedback without Compromising User Privacy",
// as published.
#pragma once

#include <vector>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

std::vector<RegisteredClaim> dueling_claims();

// The kinds of counterexamples that refute them.
CounterexampleKinds dueling_counterexamples();

}  // namespace assay
