// Writes and reads certificates as JSON (schemas/certificate.schema.json).
//
//   {"schema": "assay.certificate/2", "claim": "ts-step-dp",
//    "counterexample": {"kind": "round", "arms": 2,
//                       "history": [{"arm": 1, "reward": 0, "times": 1}, ...],
//                       "changed": 1, "neighbour_reward": 1},
//    "numbers": {"event": [1], "epsilon": ..., "delta": 0.01, "p": ..., "q": ...,
//                "true_delta": ...}}
//
// The event and delta are inputs; the other numbers are results, which a check recomputes.
// Arms and entries of the history count from 0; they counted from 1 in version 1, which is read as well.
#pragma once

#include <string>
#include <string_view>

#include "assay/auditors/claims/certificates/certificate.hpp"
#include "assay/auditors/text/json.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

inline constexpr std::string_view kCertificateSchema = "assay.certificate/2";

Json certificate_json(const Certificate& certificate);
std::string certificate_schema(const CounterexampleKinds& kinds);

// The text ends with a newline. Doubles read back to the same bits, except -0, which reads back as 0.
std::string to_json(const Certificate& certificate);

// Reads a certificate of one of these kinds (registry/certificates.hpp has them all).
// Errors: text that is not JSON (with its line), more than 1 MiB, a field that is missing, unknown,
// repeated, of the wrong type or out of range (with its JSON pointer; each counterexample states
// its ranges), or a version other than 2 and 1. No bytes crash it.
Result<Certificate> read_certificate(std::string_view json, const CounterexampleKinds& kinds);
// Further errors: a file that cannot be read. No message names the file.
Result<Certificate> read_certificate_file(const std::string& path,
                                          const CounterexampleKinds& kinds);

}  // namespace assay
