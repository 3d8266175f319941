// The audit case `thompson-sampling`: Modified Thompson sampling on neighbouring reward streams.
//
// Private input: the reward stream; relation: replace one reward; view: the actions. Published
// claims: Ou, Avella Medina, Cummings, "Thompson Sampling Itself is Differentially Private",
// Theorem 3 (mu = sqrt(T/2)) and Theorem 4 (mu = sqrt(T/(c(b+1)))). Methods: exact if N^T <= 2^24,
// else likelihood. The augmented release of all theta bounds every pair from above.
#pragma once

#include "assay/auditors/engine/audit_case.hpp"

namespace assay {

class ThompsonSamplingCase final : public AuditCase {
 public:
  static constexpr std::string_view kId = "thompson-sampling";

  std::string_view id() const override { return kId; }
  CaseDescription describe() const override;
  Result<AuditedSubject> subject(const std::vector<KeyValue>& parameters) const override;
};

}  // namespace assay
