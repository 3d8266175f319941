// Every audit case, registered once: `assay list`, `explain`, parsing and tests derive from this
// list. (Self-registering statics would vanish from a static library.)
#pragma once

#include <memory>
#include <vector>

#include "assay/auditors/bandits/thompson_sampling_case.hpp"
#include "assay/auditors/best_arm/best_arm_cases.hpp"
#include "assay/auditors/dueling/dueling_cases.hpp"
#include "assay/auditors/experts/ftnl_case.hpp"
#include "assay/auditors/sparse/sparse_cases.hpp"
#include "assay/mechanisms/core/type_list.hpp"
#include "assay/mechanisms/registry/mechanisms.hpp"

namespace assay {

using PolicyCases =
    TypeList<ThompsonSamplingCase, FtnlCase, BestArmCase<DpBai>, BestArmCase<DpBaiGauss>,
             BestArmCase<BaiBaseline>, BestArmCase<DpOd>, BestArmCase<OdLinBai>,
             BestArmCase<SequentialHalving>, DuelingCase<DpEbsElimination>, DuelingCase<GOptDpdb>,
             DuelingCase<LocalEbsElimination>, DuelingCase<EbsElimination>, SparseCase<Fliphat>,
             SparseCase<IhtBandit>, SparseCase<LassoBandit>>;

// The case of a mechanism; defined in mechanisms/mechanism_case.hpp, for each in the file of its family.
template <class M>
std::unique_ptr<AuditCase> make_mechanism_case();

// The policies, then every mechanism of the one list of mechanisms.
template <class... M>
std::vector<std::unique_ptr<AuditCase>> make_audit_cases(TypeList<M...>) {
  auto cases = make_all<AuditCase>(PolicyCases{});
  (cases.push_back(make_mechanism_case<M>()), ...);
  return cases;
}

}  // namespace assay
