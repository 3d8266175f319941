// A claim: a statement, its place in a text, and the check that tests it.
//
// A check sees only its request. It cannot read the expected verdict, which the list of claims has next
// to the check. Only the exit status and the documentation use the expected verdict.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/claims/claim_finding.hpp"
#include "assay/auditors/claims/paper.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

enum class ClaimKind {
  kAnalytic,     // an inequality over a parameter space
  kPrivacy,      // a level that a policy guarantees
  kSensitivity,  // how far a query moves between neighbours
  kComposition,  // a composed level, compared with exact composition
  kRegret,       // a bound on an expectation or a probability, or a rate
  kStructure,    // an assertion of a text about an algorithm
  kOpen,         // a question that nobody has answered
};
constexpr std::array<std::pair<ClaimKind, std::string_view>, 7> enum_names(ClaimKind) {
  return {{{ClaimKind::kAnalytic, "analytic"},
           {ClaimKind::kPrivacy, "privacy"},
           {ClaimKind::kSensitivity, "sensitivity"},
           {ClaimKind::kComposition, "composition"},
           {ClaimKind::kRegret, "regret"},
           {ClaimKind::kStructure, "structure"},
           {ClaimKind::kOpen, "open"}}};
}

struct ClaimRequest {
  std::uint64_t seed = 1;
  double effort = 1.0;        // multiplies the budget of every search and sampling; 0.01 to 1000
  double confidence = 0.999;  // of statistical verdicts
};

// The parts of its request that a check reads.
enum class ClaimReads {
  kNothing,      // none: it is a proof or fixed arithmetic
  kSearch,       // seed and effort
  kStatistical,  // seed, effort and confidence
};

using Finding = Result<ClaimFinding>;
// The type of a check. A family's checks.hpp declares its checks by name: `ClaimCheck pulls, regret;`.
using ClaimCheck = Finding(const ClaimRequest& request, const RunControl& control);

// The details of a claim for which most claims keep the default.
struct ClaimDetails {
  ClaimVerdict expected = ClaimVerdict::kHolds;
  std::string_view cost = "1 s";  // the time of the check at effort 1 on one core
  ClaimReads reads = ClaimReads::kSearch;
  std::string_view comment = {};                // why it fails, or a remark, for docs/findings.md
  std::vector<std::string_view> rests_on = {};  // ids of the claims that its printed proof uses
  std::string_view figure = {};  // experiment whose plot docs/findings.md shows; empty for none
};

struct RegisteredClaim : ClaimDetails {
  std::string_view id;
  ClaimKind kind = ClaimKind::kAnalytic;
  std::string_view theorem;  // "Lemma 3"
  // Complete, in plain text, with its symbols explained. The wording is this project's, not the paper's.
  std::string_view statement;
  ClaimCheck* check = nullptr;
  const Paper* paper = nullptr;
};

}  // namespace assay
