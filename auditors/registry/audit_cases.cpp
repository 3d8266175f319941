#include "assay/auditors/registry/audit_cases.hpp"

#include <string>
#include <utility>

#include "assay/auditors/bandits/thompson_sampling_case.hpp"
#include "assay/auditors/best_arm/best_arm_cases.hpp"
#include "assay/auditors/dueling/dueling_cases.hpp"
#include "assay/auditors/experts/ftnl_case.hpp"
#include "assay/auditors/mechanisms/make_mechanism_case.hpp"
#include "assay/auditors/registry/internal/gathered.hpp"
#include "assay/auditors/sparse/sparse_cases.hpp"
#include "assay/mechanisms/core/type_list.hpp"
#include "assay/mechanisms/registry/mechanisms.hpp"

namespace assay {
namespace {

// The policies, then every mechanism of the list of mechanisms. The list is explicit, because a linker would
// drop self-registering statics from a static library.
template <class... M>
std::vector<std::unique_ptr<AuditCase>> make_audit_cases(TypeList<M...>) {
  auto cases = make_all<AuditCase>(TypeList<ThompsonSamplingCase, FtnlCase>{});
  for (auto& one : detail::gathered<ListedCase>({best_arm_cases, dueling_cases, sparse_cases})) {
    cases.push_back(std::make_unique<ListedCase>(std::move(one)));
  }
  (cases.push_back(make_mechanism_case<M>()), ...);
  return cases;
}

}  // namespace

const std::vector<std::unique_ptr<AuditCase>>& audit_cases() {
  static const auto cases = make_audit_cases(Mechanisms{});
  return cases;
}

Result<const AuditCase*> find_audit_case(std::string_view id) {
  std::vector<std::string> known;
  for (const auto& candidate : audit_cases()) {
    if (candidate->id() == id) return candidate.get();
    known.emplace_back(candidate->id());
  }
  return fail(ErrorCode::kUnknownKey,
              "unknown case '" + std::string(id) + "'" + nearest_hint(id, known));
}

}  // namespace assay
