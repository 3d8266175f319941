#include <string>

#include "assay/auditors/bandits/claims/claims.hpp"
#include "assay/auditors/claims/registered_claim.hpp"
#include "assay/auditors/experts/claims/claims.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/glob.hpp"

namespace assay {

const std::vector<RegisteredClaim>& registered_claims() {
  static const std::vector<RegisteredClaim> claims = [] {
    auto all = thompson_sampling_claims();
    for (auto& claim : expert_claims()) all.push_back(std::move(claim));
    return all;
  }();
  return claims;
}

Result<std::vector<const RegisteredClaim*>> select_claims(
    const std::vector<std::string>& patterns) {
  const auto& claims = registered_claims();
  std::vector<std::string> known;
  for (const auto& claim : claims) known.emplace_back(claim.id);
  std::vector<bool> chosen(claims.size(), patterns.empty());
  for (const auto& pattern : patterns) {
    bool any = false;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      if (!glob_match(pattern, claims[i].id)) continue;
      chosen[i] = true;
      any = true;
    }
    if (!any) {
      return fail(ErrorCode::kUnknownKey,
                  is_glob(pattern)
                      ? "no claim matches '" + pattern + "'; `assay list claims` names them"
                      : "unknown claim '" + pattern + "'" + nearest_hint(pattern, known));
    }
  }
  std::vector<const RegisteredClaim*> selected;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (chosen[i]) selected.push_back(&claims[i]);
  }
  return selected;
}

}  // namespace assay
