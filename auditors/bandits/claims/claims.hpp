// The claims of "Thompson Sampling Itself is Differentially Private", as published.
#pragma once

#include <vector>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

std::vector<RegisteredClaim> thompson_sampling_claims();

// The kinds of counterexamples that refute them.
CounterexampleKinds thompson_sampling_counterexamples();

}  // namespace assay
