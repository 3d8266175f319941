// Certificates as JSON files (schemas/certificate.schema.json).
#pragma once

#include <string>
#include <string_view>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Ends with a newline. Doubles are written so that they read back to the same bits.
std::string to_json(const Certificate& certificate);

// Errors: text that is not JSON (with its line), a field that is missing, unknown, of the wrong type
// or out of range (with its JSON pointer), another format version.
Result<Certificate> read_certificate(std::string_view json);

}  // namespace assay
