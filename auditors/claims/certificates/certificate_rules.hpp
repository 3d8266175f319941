// What a certificate may contain, whoever made it: the rules of its reader and of its check. The
// limits of each field stand beside it (certificate_fields.hpp).
#pragma once

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

constexpr int kCertificateVersion = 1;

// Errors: a claim that none of these kinds refutes, a counterexample of another kind than the claim's, a
// field out of its range; each names the field by its JSON pointer in the file format. Whether a
// changed value stays within its sensitivity is left to the exact arithmetic of the check.
Status check_rules(const Certificate& certificate, const CounterexampleKinds& kinds);

}  // namespace assay
