#include "assay/auditors/engine/reproduce.hpp"

#include <fmt/format.h>

#include <bit>
#include <variant>

#include "assay/auditors/audit/audit_job.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

std::string digest_of(const std::vector<double>& values) {
  std::string bytes;
  for (const double value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>((bits >> shift) & 0xff);
  }
  return fmt::format("{:016x}", hash_purpose(bytes));
}

std::uint64_t default_seed(std::string_view case_id, const std::vector<KeyValue>& parameters,
                           const std::optional<AuditInput>& input, Method method) {
  std::string text(case_id);
  for (const auto& [key, value] : parameters) text += ";" + key + "=" + value;
  if (input && !input->has_neighbour()) text += ";input=" + input->source.digest;
  if (input && input->has_neighbour()) {
    text += ";input=" + digest_of(input->inputs.old_input().values);
    text += ";neighbour=" + digest_of(input->inputs.edit().values);
  }
  text += ";method=" + std::string(detail::value_text(method));
  return hash_purpose(text) >> 16;  // 48 bits: short enough to copy by hand
}

std::string reproduce_command(const AuditReport& report, const AuditRequest& request,
                              const std::string& program) {
  AuditJob job;
  job.case_id = report.case_id;
  job.parameters = report.parameters;
  if (report.input) {
    job.input = report.input->file;
    job.column = report.input->column;
  }
  job.claim = report.claim_text;
  job.method = report.evidence.method;
  job.confidence = {request.confidence, {}};
  job.delta0 = {request.delta0, {}};
  job.seed = report.seed;
  if (report.evidence.samples_planned > 0) job.samples = report.evidence.samples_planned;
  job.search = request.search;
  job.stop_when_decided = request.stop_when_decided;
  // Counts of one event report mu over delta0 of a claim in mu alone, and stop nowhere by number.
  const bool by_events = report.evidence.method == "events";
  const bool ended_early =
      report.evidence.samples < report.evidence.samples_planned && !request.stop_when_decided;
  if (!by_events && report.evidence.samples_planned > 0 && (request.stop_after || ended_early)) {
    job.stop_after = report.evidence.samples;
  }
  std::vector<std::string_view> names = {"case",  "parameter", "input",     "column",
                                         "claim", "method",    "confidence"};
  if (!by_events || std::holds_alternative<GaussianDp>(report.claim)) names.push_back("delta0");
  names.insert(names.end(), {"seed", "samples", "search", "stop-when-decided", "stop-after"});
  if (!program.empty()) names.erase(names.begin());  // the case
  return command_line(program.empty() ? "assay audit" : program, job, names);
}

}  // namespace assay
