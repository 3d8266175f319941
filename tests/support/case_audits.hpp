// Audits of cases, as their tests ask for them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/auditors/engine/audit_case.hpp"

namespace assay {

inline AuditRequest request_of(std::vector<KeyValue> parameters, std::string claim = {},
                               Method method = Method::kAuto) {
  AuditRequest request;
  request.parameters = std::move(parameters);
  request.claim = std::move(claim);
  request.method = method;
  return request;
}

inline Result<AuditReport> audit(std::string_view id, const AuditRequest& request,
                                 const RunControl& control = {}) {
  return find_audit_case(id).value()->run(request, control);
}

}  // namespace assay
