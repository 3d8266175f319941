// Checking a selection of claims, one after another.
//
// Deterministic in (claims, seed, effort, confidence), for any number of threads; only the
// seconds differ. A check that fails is Inconclusive, with its error. The others continue.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

struct ClaimResult {
  const RegisteredClaim* claim = nullptr;
  ClaimFinding finding;
  std::vector<std::string> refuted_premises;  // of `rests_on`, in the same verification
  double seconds = 0.0;

  bool as_expected() const { return finding.verdict == claim->expected; }
};

struct Verification {
  ClaimRequest request;
  std::vector<ClaimResult> results;
  std::int64_t selected = 0;  // more than the results if the run was interrupted
};

// Calls `on_result`, unless it is empty, for each claim as soon as it is decided.
Result<Verification> verify_claims(const std::vector<const RegisteredClaim*>& claims,
                                   const ClaimRequest& request, const RunControl& control,
                                   const std::function<void(const ClaimResult&)>& on_result = {});

// Errors: effort outside [0.01, 1000], confidence outside [0.5, 1).
Status check_request(const ClaimRequest& request);

}  // namespace assay
