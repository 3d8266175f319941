#include "assay/auditors/engine/audit_case.hpp"

#include <cmath>

#include "assay/auditors/engine/audit_cases.hpp"
#include "assay/auditors/engine/reproduce.hpp"

namespace assay {

Status check_request(const AuditRequest& request) {
  if (!(request.confidence >= 0.5 && request.confidence < 1.0)) {
    return fail(
        ErrorCode::kInvalidArgument,
        "confidence must be at least 0.5 and below 1, not " + number_text(request.confidence),
        "/confidence");
  }
  if (!(request.delta0 > 0.0 && request.delta0 < 1.0)) {
    return fail(ErrorCode::kInvalidArgument,
                "delta0 must lie strictly between 0 and 1, not " + number_text(request.delta0),
                "/delta0");
  }
  if (request.samples && (*request.samples < 1 || *request.samples > 1'000'000'000)) {
    return fail(ErrorCode::kInvalidArgument,
                "samples must be 1 to 1000000000, not " + std::to_string(*request.samples),
                "/samples");
  }
  if (request.seconds && !(*request.seconds > 0.0)) {
    return fail(ErrorCode::kInvalidArgument,
                "the time budget must be above 0 seconds, not " + number_text(*request.seconds),
                "/seconds");
  }
  return {};
}

AuditInput AuditInput::of(std::string file, std::string column, InputPair inputs) {
  const InputTable& table = inputs.old_input();
  const auto& neighbour = inputs.edit().values;
  std::vector<double> values = table.values;
  values.insert(values.end(), neighbour.begin(), neighbour.end());
  const std::int64_t rows = table.rows + (neighbour.empty() ? 0 : 1);
  InputSource source{std::move(file), std::move(column), digest_of(values), rows};
  return {std::move(source), std::move(inputs)};
}

double alpha_of(const AuditRequest& request) {
  // To 15 digits, so that a confidence of 0.999 spends 0.001 and not 0.0010000000000000009.
  return std::round((1.0 - request.confidence) * 1e15) / 1e15;
}

const std::vector<std::unique_ptr<AuditCase>>& audit_cases() {
  static const auto cases = make_audit_cases(Mechanisms{});
  return cases;
}

Result<const AuditCase*> find_audit_case(std::string_view id) {
  std::vector<std::string> known;
  for (const auto& candidate : audit_cases()) {
    known.push_back(candidate->describe().id);
    if (known.back() == id) return candidate.get();
  }
  return fail(ErrorCode::kUnknownKey,
              "unknown case '" + std::string(id) + "'" + nearest_hint(id, known));
}

}  // namespace assay
