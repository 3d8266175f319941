#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/verify/certificate_check_report.hpp"

namespace assay {

void fields(const CheckedCertificate& one, Fields visit) {
  visit("file", [&] { return plain_text(one.file); });
  visit("claim", one.claim, "Its name.");
  visit("refutes", one.check.refutes, "Whether the claim is false, by this counterexample.");
  visit("conclusion", one.check.conclusion, "One sentence.");
  visit.group("numbers", "The recomputed numbers, to the nearest double.", [&] {
    visit("epsilon", one.check.epsilon);
    visit("p", one.check.p);
    visit("q", one.check.q);
    visit("true_delta", one.check.true_delta);
  });
  visit("steps", one.check.steps, "The computation, line by line.");
}

void fields(const CertificateCheckReport& report, Fields visit) {
  report_head(visit, "assay.certificate-check-report/2",
              "The result of `assay check-certificate`.");
  visit("certificates", report.checked, "The certificates that could be read.");
}

std::string to_json(const CertificateCheckReport& report) { return json_text_of(report); }
std::string certificate_check_report_schema() { return schema_of<CertificateCheckReport>(); }

}  // namespace assay
