// The report of `assay check-certificate`, as values. The writers in this folder turn it into text and JSON,
// without the errors.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct CheckedCertificate {
  std::string file;
  std::string claim;  // id
  std::string statement;
  std::string theorem;
  std::string paper;  // its citation
  CertificateCheck check;
};

struct CertificateCheckReport {
  std::vector<CheckedCertificate> checked;
  std::vector<Error> errors;  // the errors of the other files, which they name

  bool all_refute() const {
    return errors.empty() &&
           std::all_of(checked.begin(), checked.end(),
                       [](const CheckedCertificate& one) { return one.check.refutes; });
  }
};

// The claim, the steps and the conclusion of each certificate.
std::string to_text(const CertificateCheckReport& report);

// Ends with a newline.
std::string to_json(const CertificateCheckReport& report);
std::string certificate_check_report_schema();

}  // namespace assay
