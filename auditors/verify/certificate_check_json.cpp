#include "assay/auditors/text/record.hpp"
#include "assay/auditors/text/report.hpp"
#include "assay/auditors/text/safe_text.hpp"
#include "assay/auditors/verify/certificate_check_report.hpp"

namespace assay {

void fields(const CheckedCertificate& one, Fields visit) {
  visit("file", [&] { return plain_text(one.file); });
  visit("claim", one.claim, "Its name.");
  visit("statement", one.statement, "Of the claim, in the wording of Assay, not of the paper.");
  visit.group("source", "The place of the statement.", [&] {
    visit("paper", one.paper, "Its citation.");
    visit("theorem", one.theorem);
  });
  visit("refutes", one.check.refutes, "Whether the claim is false, by this counterexample.");
  visit("conclusion", one.check.conclusion, "One sentence.");
  visit(
      "numbers", one.check.numbers,
      "The numbers of the certificate by their names, which certificate.schema.json explains. The "
      "check computed them again in 50 digits: they agree to 1e-9 of their size, probabilities "
      "to 1e-20 as well.");
  visit("steps", one.check.steps, "The computation, line by line.");
}

void fields(const CertificateCheckReport& report, Fields visit) {
  report_head(visit, "assay.certificate-check-report/3",
              "The result of `assay check-certificate`.");
  visit("certificates", report.checked, "The certificates that could be checked.");
  std::vector<std::string> errors;
  for (const auto& error : report.errors) errors.push_back(error.to_string());
  visit("errors", errors,
        "The files that are damaged, or whose numbers do not follow from their inputs.");
}

std::string to_json(const CertificateCheckReport& report) { return json_text_of(report); }
std::string certificate_check_report_schema() { return schema_of<CertificateCheckReport>(); }

}  // namespace assay
