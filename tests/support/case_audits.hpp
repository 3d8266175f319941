// Audits of cases, as their tests ask for them.
#pragma once

#include "assay/auditors/registry/audit_cases.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

inline AuditRequest request_of(std::vector<KeyValue> parameters, std::string claim = {},
                               Method method = Method::kAuto) {
  return AuditRequest{
      .parameters = std::move(parameters), .claim = std::move(claim), .method = method};
}

inline Result<AuditReport> audit(std::string_view id, const AuditRequest& request,
                                 const RunControl& control = {}) {
  return find_audit_case(id).value()->run(request, control);
}

// Cut after some work, an audit reports what it has.
inline void expect_interrupted_audit(std::string_view id, const AuditRequest& request) {
  int asked = 0;
  RunControl control;
  control.also_stop = [&] { return ++asked > 500; };
  const auto report = must(audit(id, request, control));
  EXPECT_EQ(report.verdict, Verdict::kInconclusive);
  EXPECT_TRUE(report.evidence.interrupted);
}

// The quantity of that kind, which has to be there.
inline const ReportedQuantity& quantity(const AuditReport& report, QuantityKind kind, double at) {
  static const ReportedQuantity none;
  const auto* found = find_quantity(report.evidence.quantities, kind, at);
  EXPECT_NE(found, nullptr) << report.case_id;
  return found == nullptr ? none : *found;
}

}  // namespace assay
