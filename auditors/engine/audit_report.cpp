#include "assay/auditors/engine/audit_report.hpp"

#include <utility>

namespace assay {

AuditReport make_report(const AuditTerms& terms, Gathered gathered) {
  AuditReport report{terms, std::move(gathered.decision).value()};
  report.pair = std::move(gathered.pair);
  report.canaries = gathered.canaries;
  report.evidence = std::move(gathered.evidence);
  if (report.verdict != Verdict::kNotRefuted) return report;
  report.strength = strength_of(terms, report.evidence);
  if (!report.strength->is_enough()) report.verdict = Verdict::kWeak;
  return report;
}

}  // namespace assay
