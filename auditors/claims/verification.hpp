// Checks a selection of claims, one after another.
//
// Claims, seed, effort and confidence determine everything except the seconds, for any number of threads. If
// a check fails, its claim is Inconclusive, with the error, and the other checks go on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/registered_claim.hpp"

namespace assay {

struct ClaimResult {
  const RegisteredClaim* claim = nullptr;
  ClaimFinding finding;
  std::vector<std::string> refuted_premises;  // claims of `rests_on` that this verification refuted
  double seconds = 0.0;

  bool as_expected() const { return finding.verdict == claim->expected; }
};

struct Verification {
  ClaimRequest request;
  std::vector<ClaimResult> results;
  std::int64_t selected = 0;  // the number of selected claims; results are fewer after an interrupt
  std::string reproduce;      // the command that makes it again; verify_claims() leaves it empty
};

// Calls `on_result` for each claim as soon as it is decided, unless `on_result` is empty.
Result<Verification> verify_claims(const std::vector<const RegisteredClaim*>& claims,
                                   const ClaimRequest& request, const RunControl& control,
                                   const std::function<void(const ClaimResult&)>& on_result = {},
                                   const CounterexampleKinds& kinds = {});

// Errors: effort outside [0.01, 1000], confidence outside [0.5, 1).
Status check_request(const ClaimRequest& request);

}  // namespace assay
