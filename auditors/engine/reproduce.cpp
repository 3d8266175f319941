#include "assay/auditors/engine/reproduce.hpp"

#include <fmt/format.h>

#include <bit>
#include <variant>

#include "assay/mechanisms/core/command_line.hpp"
#include "assay/mechanisms/core/configuration.hpp"
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
    text += ";input=" + digest_of(input->inputs.base_input().values);
    text += ";neighbour=" + digest_of(input->inputs.edit().values);
  }
  text += ";method=" + std::string(detail::value_text(method));
  return hash_purpose(text) >> 16;  // 48 bits: short enough to copy by hand
}

std::string reproduce_command(const AuditReport& report, const AuditRequest& request,
                              const std::string& program) {
  CommandLine command(program.empty() ? "assay audit" : program);
  if (program.empty()) command.add(report.case_id);
  for (const auto& [key, value] : report.parameters) command.add("-p", key + "=" + value);
  const auto add = [&](const std::string& flag, const std::string& value) {
    if (!value.empty()) command.add(flag, value);
  };
  const auto add_count = [&](const std::string& flag, std::optional<std::int64_t> count) {
    if (count) command.add(flag, std::to_string(*count));
  };
  if (report.input) {
    add("--input", report.input->file);
    add("--column", report.input->column);
  }
  add("--claim", report.claim_text);
  add("--method", report.evidence.method);
  add("--confidence", number_text(request.confidence));
  // Counts of one event report mu over delta0 for a claim in mu alone, and never stop by number.
  const bool by_events = report.evidence.method == "events";
  if (!by_events || std::holds_alternative<GaussianDp>(report.claim)) {
    add("--delta0", number_text(request.delta0));
  }
  command.add("--seed", std::to_string(report.seed));
  const bool sampled = report.evidence.samples_planned > 0;
  if (sampled) add_count("--samples", report.evidence.samples_planned);
  add_count("--search", request.search);
  if (request.stop_when_decided) command.add("--stop-when-decided");
  const bool ended_early =
      report.evidence.samples < report.evidence.samples_planned && !request.stop_when_decided;
  if (!by_events && sampled && (request.stop_after || ended_early)) {
    add_count("--stop-after", report.evidence.samples);
  }
  return command.text();
}

}  // namespace assay
