// Verifications of claims, as their tests ask for them.
#pragma once

#include "assay/auditors/claims/verification.hpp"
#include "assay/auditors/registry/claims.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

inline Verification verified(const std::vector<std::string>& patterns, double effort = 0.25,
                             std::uint64_t seed = 1) {
  ClaimRequest request{.seed = seed, .effort = effort};
  return verify_claims(select_claims(patterns).value(), request, {}).value();
}

}  // namespace assay
