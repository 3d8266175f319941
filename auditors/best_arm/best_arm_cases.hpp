// The audit cases of best-arm identification with a fixed budget: `dp-bai`, `dp-bai-gauss`,
// `bai-baseline`, `dp-od`, and the policies without noise, `od-linbai` and `sequential-halving`.
//
// Private input: the reward table; relation: replace one cell of a table by pull, or one column of
// a table by time (`table`); view: the actions, with the recommendation. Published claims: Chen,
// Karthik, Chee, Tan, "Fixed-Budget Differentially Private Best Arm Identification", Propositions
// 4.1 and D.2, Appendix E.1.
// Methods: exact where every phase's law is one integral (phase_law.hpp), else release; events.
//
// What holds for all pairs, by the headers of the policies:
//   DP-BAI, Baseline    eps, as stated
//   DP-BAI-Gauss        mu = 1/c, c the noise's deviation at one pull: a cell moves one mean  (1)
//   DP-OD, norm = l1    eps; norm = l2: sqrt(d) eps, as ||x||_1 <= sqrt(d) ||x||_2  (2)
// Both bound the release, so that no pair of inputs has to be searched for an upper bound.
#pragma once

#include <string_view>
#include <vector>

#include "assay/auditors/engine/audit_case.hpp"
#include "assay/policies/best_arm/dp_bai.hpp"
#include "assay/policies/best_arm/od_lin_bai.hpp"
#include "assay/policies/best_arm/sequential_halving.hpp"

namespace assay {

// The policy P; what is its own is in best_arm_cases.cpp.
template <class P>
class BestArmCase final : public AuditCase {
 public:
  std::string_view id() const override;
  CaseDescription describe() const override;
  Result<AuditedSubject> subject(const std::vector<KeyValue>& parameters) const override;
};

extern template class BestArmCase<DpBai>;
extern template class BestArmCase<DpBaiGauss>;
extern template class BestArmCase<BaiBaseline>;
extern template class BestArmCase<DpOd>;
extern template class BestArmCase<OdLinBai>;
extern template class BestArmCase<SequentialHalving>;

}  // namespace assay
