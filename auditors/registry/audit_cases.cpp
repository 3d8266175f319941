#include "assay/auditors/engine/audit_case.hpp"

#include <utility>

#include "assay/auditors/registry/audit_cases.hpp"

namespace assay {

Result<PreparedAudit> AuditCase::prepare(const AuditRequest& request) const {
  auto of_parameters = ASSAY_TRY(subject(request.parameters));
  return prepare_audit(std::move(of_parameters), request);
}

Result<AuditReport> AuditCase::run(const AuditRequest& request, const RunControl& control) const {
  const auto prepared = ASSAY_TRY(prepare(request));
  return run_audit(prepared, control);
}

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
