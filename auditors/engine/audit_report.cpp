#include "assay/auditors/engine/audit_report.hpp"

#include <utility>

namespace assay {

AuditReport make_report(const AuditTerms& terms, Gathered gathered) {
  AuditReport report{terms, std::move(gathered.decision).value()};
  report.pair = std::move(gathered.pair);
  report.canaries = gathered.canaries;
  report.evidence = std::move(gathered.evidence);
  if (report.verdict != Verdict::kNotRefuted) report.evidence.smallest_visible.reset();
  return report;
}

}  // namespace assay
