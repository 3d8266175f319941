// The verdict that follows from what a white-box method finds out about one neighbouring pair.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/auditors/engine/audit_report.hpp"

namespace assay {

// Which quantity a claim bounds, and at what epsilon or delta.
struct ClaimedQuantity {
  QuantityKind kind = QuantityKind::kMu;
  double at = 0.0;     // epsilon of an (epsilon, delta) or pure claim
  double limit = 0.0;  // largest value that the claim allows
};
ClaimedQuantity claimed_quantity(const PrivacyLevel& claim);

struct Decision {
  Verdict verdict = Verdict::kInconclusive;
  Scope scope = Scope::kThisPair;
  std::string reason;
};

// Verified needs an upper bound at or below the claim: the pair's, or `all_pairs` (a proved
// guarantee of the policy over all pairs) for the wider scope. A failed check of the reported
// probabilities allows no verdict but Inconclusive.
Decision decide(const PrivacyLevel& claim, const PairEvidence& evidence,
                const std::optional<Guarantee>& all_pairs);

// One row a round from the mean of log P - log Q in each round, under the old side and under the new.
std::vector<RoundRow> round_rows(const std::vector<double>& old_means,
                                 const std::vector<double>& new_means);

const ReportedQuantity* find_quantity(const std::vector<ReportedQuantity>& quantities,
                                      QuantityKind kind, double at);

}  // namespace assay
