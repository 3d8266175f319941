// The audit case `ftnl`: RNM-FTNL on neighbouring loss sequences.
//
// Private input: the loss sequence; relation: replace one loss vector; view: the actions. Published
// claims: Wu, Wang, "Improved Regret in Stochastic Decision-Theoretic Online Learning under
// Differential Privacy", Theorems 1, 2 and 4 (eps-DP with each of three noises). Method: exact,
// since the privacy loss of a transcript is that of one draw (ftnl_worst.hpp). For pure eps the
// worst pair is known (ftnl_worst.hpp), so the exact level of this pair is that of the policy.
#pragma once

#include "assay/auditors/engine/audit_case.hpp"

namespace assay {

class FtnlCase final : public AuditCase {
 public:
  static constexpr std::string_view kId = "ftnl";

  std::string_view id() const override { return kId; }
  CaseDescription describe() const override;
  Result<AuditedSubject> subject(const std::vector<KeyValue>& parameters) const override;
};

}  // namespace assay
