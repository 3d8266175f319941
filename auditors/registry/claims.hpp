// The list of all published claims. `assay list`, `assay verify` and tests use it.
#pragma once

#include <string>
#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// All claims, paper by paper.
const std::vector<RegisteredClaim>& registered_claims();

// The claims that match one of the patterns (* and ?), in registry order. Without a pattern, all claims.
// Errors: a pattern that selects nothing, with the nearest id.
Result<std::vector<const RegisteredClaim*>> select_claims(const std::vector<std::string>& patterns);

}  // namespace assay
