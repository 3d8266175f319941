#include "assay/auditors/claims/certificates/check_certificate.hpp"

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/certificates/certificate_rules.hpp"

namespace assay {

Result<CertificateCheck> check_certificate(const Certificate& certificate) {
  ASSAY_TRY(check_rules(certificate));
  return std::visit([](const auto& found) { return recompute(found); }, certificate.counterexample);
}

}  // namespace assay
