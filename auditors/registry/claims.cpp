#include "assay/auditors/registry/claims.hpp"

#include "assay/auditors/bandits/claims/checks.hpp"
#include "assay/auditors/best_arm/claims/checks.hpp"
#include "assay/auditors/dueling/claims/checks.hpp"
#include "assay/auditors/experts/claims/checks.hpp"
#include "assay/auditors/registry/internal/gathered.hpp"
#include "assay/auditors/sparse/claims/checks.hpp"
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
