#include "assay/auditors/audit.hpp"

#include "assay/auditors/paired/audit_cases.hpp"

namespace assay {

const std::vector<std::unique_ptr<AuditCase>>& audit_cases() {
  static const auto cases = make_all<AuditCase>(AuditCases{});
  return cases;
}

Result<const AuditCase*> find_audit_case(std::string_view id) {
  std::vector<std::string> known;
  for (const auto& candidate : audit_cases()) {
    known.push_back(candidate->describe().id);
    if (known.back() == id) return candidate.get();
  }
  return fail(ErrorCode::kUnknownKey,
              "unknown case '" + std::string(id) + "'" + nearest_hint(id, known));
}

}  // namespace assay
