// The claims of "Thompson Sampling Itself is Differentially Private", as published.
#pragma once

#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

std::vector<RegisteredClaim> thompson_sampling_claims();

}  // namespace assay
