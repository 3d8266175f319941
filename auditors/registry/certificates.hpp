// Every kind of counterexample, registered once, and certificates of all of them.
#pragma once

#include <string>
#include <string_view>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Family by family, as schemas/certificate.schema.json lists them.
const CounterexampleKinds& counterexample_kinds();

// As claims/certificates/certificate_json.hpp, of any kind.
Result<Certificate> read_certificate(std::string_view json);
Result<Certificate> read_certificate_file(const std::string& path);

// As claims/certificates/check_certificate.hpp, of any kind.
Result<CertificateCheck> check_certificate(const Certificate& certificate);

}  // namespace assay
