#include "assay/auditors/engine/audit_case.hpp"

#include <utility>

namespace assay {

Result<PreparedAudit> AuditCase::prepare(const AuditRequest& request) const {
  auto of_parameters = ASSAY_TRY(subject(request.parameters));
  return prepare_audit(std::move(of_parameters), request);
}

Result<AuditReport> AuditCase::run(const AuditRequest& request, const RunControl& control) const {
  const auto prepared = ASSAY_TRY(prepare(request));
  return run_audit(prepared, control);
}

}  // namespace assay
