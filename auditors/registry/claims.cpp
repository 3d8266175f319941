#include "assay/auditors/registry/claims.hpp"

#include "assay/auditors/bandits/claims/claims.hpp"
#include "assay/auditors/best_arm/claims/claims.hpp"
#include "assay/auditors/dueling/claims/claims.hpp"
#include "assay/auditors/experts/claims/claims.hpp"
#include "assay/auditors/registry/internal/gathered.hpp"
#include "assay/auditors/sparse/claims/claims.hpp"
#include "assay/mechanisms/core/named_rows.hpp"

namespace assay {

const std::vector<RegisteredClaim>& registered_claims() {
  static const auto claims = detail::gathered<RegisteredClaim>(
      {thompson_sampling_claims, expert_claims, best_arm_claims, dueling_claims, sparse_claims});
  return claims;
}

Result<std::vector<const RegisteredClaim*>> select_claims(
    const std::vector<std::string>& patterns) {
  return detail::rows_named(registered_claims(), patterns, "claim", "claims", &RegisteredClaim::id);
}

}  // namespace assay
