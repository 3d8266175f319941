#include "assay/auditors/engine/reproduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <variant>

#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

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

std::string reproduce_command(const AuditReport& report, const AuditRequest& request) {
  std::string command = "assay audit " + report.case_id;
  const auto add = [&](const std::string& flag, const std::string& value) {
    command += " " + flag + " " + shell_quoted(value);
  };
  for (const auto& [key, value] : report.parameters) add("-p", key + "=" + value);
  if (report.input) {
    add("--input", report.input->file);
    if (!report.input->column.empty()) add("--column", report.input->column);
  }
  add("--claim", report.claim_text);
  add("--method", report.evidence.method);
  add("--confidence", number_text(request.confidence));
  // Counts of one event report mu over delta0 of a claim in mu alone, and stop nowhere by number.
  const bool by_events = report.evidence.method == "events";
  if (!by_events || std::holds_alternative<GaussianDp>(report.claim)) {
    add("--delta0", number_text(request.delta0));
  }
  add("--seed", std::to_string(report.seed));
  if (report.evidence.samples_planned > 0)
    add("--samples", std::to_string(report.evidence.samples_planned));
  if (request.search) add("--search", std::to_string(*request.search));
  if (request.stop_when_decided) command += " --stop-when-decided";
  const bool ended_early =
      report.evidence.samples < report.evidence.samples_planned && !request.stop_when_decided;
  if (!by_events && report.evidence.samples_planned > 0 && (request.stop_after || ended_early)) {
    add("--stop-after", std::to_string(report.evidence.samples));
  }
  return command;
}

}  // namespace assay
