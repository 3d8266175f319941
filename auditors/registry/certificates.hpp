// The list of all kinds of counterexample, and the functions that read and check a certificate (a counterexample in a
// file) of any kind.
#pragma once

#include <string>
#include <string_view>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/claims/certificates/check_certificate.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// The kinds, family by family, in the order of schemas/certificate.schema.json.
const CounterexampleKinds& counterexample_kinds();

// Like those of claims/certificates/certificate_json.hpp, for certificates of every kind listed above.
Result<Certificate> read_certificate(std::string_view json);
Result<Certificate> read_certificate_file(const std::string& path);

// Like that of claims/certificates/check_certificate.hpp, for certificates of every kind listed above.
Result<CertificateCheck> check_certificate(const Certificate& certificate);

}  // namespace assay
