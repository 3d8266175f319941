// How to reproduce a report: its default seed and its command line.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/auditors/engine/audit_request.hpp"

namespace assay {

// A hash of the case, parameters, input and method. It leaves out the claim, because a claim must not change the seed
// of the test that it gets.
std::uint64_t default_seed(std::string_view case_id, const std::vector<KeyValue>& parameters,
                           const std::optional<AuditInput>& input, Method method);

// The `assay audit` command with every value spelled out, quoted for a shell; for a custom policy the command of
// the program that audits it. `request` says how far a stopped audit got.
std::string reproduce_command(const AuditReport& report, const AuditRequest& request,
                              const std::string& program = {});

// Hash of the values of an input, as text.
std::string digest_of(const std::vector<double>& values);

}  // namespace assay
