#include "assay/auditors/registry/certificates.hpp"

#include "assay/auditors/bandits/claims/claims.hpp"
#include "assay/auditors/best_arm/claims/claims.hpp"
#include "assay/auditors/claims/certificates/certificate_json.hpp"
#include "assay/auditors/dueling/claims/claims.hpp"
#include "assay/auditors/experts/claims/claims.hpp"
#include "assay/auditors/registry/internal/gathered.hpp"
#include "assay/auditors/sparse/claims/claims.hpp"

namespace assay {

const CounterexampleKinds& counterexample_kinds() {
  static const auto kinds = detail::gathered<const CounterexampleKind*>(
      {thompson_sampling_counterexamples, expert_counterexamples, best_arm_counterexamples,
       dueling_counterexamples, sparse_counterexamples});
  return kinds;
}

Result<Certificate> read_certificate(std::string_view json) {
  return read_certificate(json, counterexample_kinds());
}

Result<Certificate> read_certificate_file(const std::string& path) {
  return read_certificate_file(path, counterexample_kinds());
}

Result<CertificateCheck> check_certificate(const Certificate& certificate) {
  return check_certificate(certificate, counterexample_kinds());
}

}  // namespace assay
