// Every kind of counterexample, registered once, and the functions on certificates of any kind.
#pragma once

#include <string>
#include <string_view>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Family by family, in the order of schemas/certificate.schema.json.
const CounterexampleKinds& counterexample_kinds();

// As in claims/certificates/certificate_json.hpp, for any kind.
Result<Certificate> read_certificate(std::string_view json);
Result<Certificate> read_certificate_file(const std::string& path);

// As in claims/certificates/check_certificate.hpp, for any kind.
Result<CertificateCheck> check_certificate(const Certificate& certificate);

}  // namespace assay
