#include "assay/auditors/claims/certificates/check_certificate.hpp"

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/certificates/certificate_json.hpp"

namespace assay {

Result<CertificateCheck> check_certificate(const Certificate& certificate,
                                           const CounterexampleKinds& kinds) {
  // A certificate from any source must satisfy the rules of its file.
  ASSAY_TRY(read_certificate(to_json(certificate), kinds));
  return certificate.counterexample.kind()->recheck(certificate.counterexample.found());
}

Result<CertificateCheck> check_by_its_kind(const Certificate& certificate) {
  return check_certificate(certificate, {certificate.counterexample.kind()});
}

}  // namespace assay
