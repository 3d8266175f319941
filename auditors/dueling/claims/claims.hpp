// The claims of "DP-Dueling: Learning from Preference Feedback without Compromising User Privacy",
// as published.
#pragma once

#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

std::vector<RegisteredClaim> dueling_claims();

}  // namespace assay
