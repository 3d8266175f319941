#include "assay/policies/external/internal/answers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/external/internal/messages.hpp"
#include "assay/policies/external/internal/plugin_server.hpp"
#include "assay/policies/external/internal/runs_reader.hpp"

namespace assay::detail {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kErrorBytes = 2000;  // of a target's own text

void set(RunFault* fault, RunFault is) {
  if (fault != nullptr) *fault = is;
}

tl::unexpected<Error> bad(std::string_view what) { return fail(ErrorCode::kTarget, what); }

constexpr const char* kOnlyAnswers =
    "\n  standard output is only for answers: print everything else to standard error, in Python by "
    "print(..., file=sys.stderr)";

std::string not_json(std::string_view line) {
  const std::string what = "is not JSON: " + std::string(line.substr(0, 80));
  for (const char* number : {"NaN", "nan", "Infinity", "inf"}) {
    const auto at = line.find(number);
    if (at == std::string_view::npos || at == 0 || line[at - 1] == '"') continue;
    return what + "\n  JSON has no " + number + R"(: write the strings "nan", "inf" and "-inf")";
  }
  return what + kOnlyAnswers;
}

// The types of messages that come in place of outputs: a failed run, one that took too much memory,
// an invalid input, an invalid output.
bool is_excuse(const std::string& type) {
  return type == "error" || type == "out_of_memory" || type == "invalid_input" ||
         type == "invalid_output";
}

// The fields of a message of the given type; other fields than `known` are an error.
Result<Json> read_message(AnswerReader& reader, std::string_view line, const std::string& type,
                          const std::vector<std::string>& known, RunFault* fault = nullptr) {
  const bool whole = reader.read(line);
  if (!reader.is_json()) return bad(not_json(line));
  const Json& fields = reader.fields();
  if (!fields.contains("type") || !fields["type"].is_string()) {
    if (!whole && !reader.trouble().empty() &&
        reader.trouble().find("\"type\"") == std::string::npos) {
      return bad(reader.trouble());
    }
    return bad("must be an object with a \"type\": " + std::string(line.substr(0, 80)) +
               kOnlyAnswers);
  }
  const auto got = fields["type"].get<std::string>();
  if (is_excuse(got)) {
    const bool has_message = fields.contains("message") && fields["message"].is_string();
    const std::string said =
        has_message ? fields["message"].get<std::string>().substr(0, kErrorBytes) : "(no message)";
    if (got == "invalid_input") {
      return fail(ErrorCode::kRefusedInput, "refuses the input: " + said);
    }
    if (got == "error") set(fault, RunFault::kFailed);
    if (got == "out_of_memory") set(fault, RunFault::kMemory);
    return bad("reports an error: " + said);
  }
  if (got != type)
    return bad("must have the type \"" + type + "\", not \"" + got.substr(0, 40) + "\"");
  if (!reader.unknown_field().empty()) {
    return bad("has the unknown field " + reader.unknown_field());
  }
  for (const auto& item : fields.items()) {
    const auto& name = item.key();
    if (name != "type" && std::find(known.begin(), known.end(), name) == known.end()) {
      return bad("has the unknown field \"" + name + "\"");
    }
  }
  if (!whole) return bad(reader.trouble());
  return fields;
}

// Reads by the JSON library, which says what is wrong.
Result<OutputBatch> read_runs_document(const InputShape& shape, std::string_view line,
                                       std::int64_t id, std::int64_t count, RunFault* fault) {
  AnswerReader reader(shape, count, AnswerReader::Line::kMessage);
  const auto message = ASSAY_TRY(read_message(reader, line, "plays", {"id", "outputs"}, fault));
  if (!message.contains("id") || !message["id"].is_number_integer() ||
      message["id"].get<std::int64_t>() != id) {
    return bad("must carry the id " + std::to_string(id) + " of the request");
  }
  auto batch = reader.take_outputs();
  if (batch.count != count) return bad("must carry the array \"outputs\"");
  return batch;
}

}  // namespace

Result<Ready> read_ready(const InputShape& shape, std::string_view line) {
  AnswerReader reader(shape, 0, AnswerReader::Line::kMessage);
  const auto message = ASSAY_TRY(read_message(
      reader, line, "ready", {"name", "seeded", "deterministic", "keys", "probabilities"}));
  if (!message.contains("name") || !message["name"].is_string()) {
    return bad("must carry its \"name\"");
  }
  for (const char* field : {"seeded", "deterministic", "keys", "probabilities"}) {
    if (message.contains(field) && !message[field].is_boolean()) {
      return bad(std::string("must have \"") + field + "\" true or false");
    }
  }
  Ready ready{message["name"].get<std::string>().substr(0, 200), message.value("seeded", false),
              message.value("deterministic", false)};
  if (message.contains("keys")) ready.keys = message["keys"].get<bool>();
  ready.probabilities = message.value("probabilities", false);
  return ready;
}

Result<OutputBatch> read_runs(const InputShape& shape, std::string_view line, std::int64_t id,
                              std::int64_t count, RunFault* fault) {
  set(fault, RunFault::kNone);
  const OutputLayout layout(shape);
  if (layout.is_plain()) {
    using Entries = RunsReader::Entries;
    RunsReader reader(id, count, layout.width(),
                      layout.actions > 0 ? Entries::kActions : Entries::kNumbers);
    if (reader.read(line)) {
      OutputBatch batch{count, layout.width(), reader.values()};
      bool known = true;
      for (std::int64_t i = 0; known && i < count; ++i) {
        known = check_output(layout, batch.play(i)).has_value();
      }
      if (known) return batch;
    }
  }
  return read_runs_document(shape, line, id, count, fault);
}

namespace {

// A round is like a mechanism's output.
InputShape round_shape(const PathShape& shape) {
  return {.kind = InputKind::kMechanism, .inputs = 1, .outputs = shape.actions};
}

Result<std::vector<double>> checked(const PathShape& shape, std::int64_t from,
                                    std::vector<double> values) {
  ASSAY_TRY(check_reported(shape, from, values));
  return values;
}

}  // namespace

Result<std::vector<double>> read_probabilities(const PathShape& shape, std::string_view line,
                                               std::int64_t id, std::int64_t from,
                                               std::int64_t rounds) {
  RunsReader quick(id, rounds, shape.actions, RunsReader::Entries::kNumbers, kProbabilities);
  if (quick.read(line)) return checked(shape, from, quick.values());
  const InputShape round = round_shape(shape);
  AnswerReader reader(round, rounds, AnswerReader::Line::kMessage, kProbabilities);
  const auto message =
      ASSAY_TRY(read_message(reader, line, "probabilities", {"id", "probabilities"}));
  if (!message.contains("id") || !message["id"].is_number_integer() ||
      message["id"].get<std::int64_t>() != id) {
    return bad("must carry the id " + std::to_string(id) + " of the request");
  }
  OutputBatch batch = reader.take_outputs();
  if (batch.count != rounds) return bad("must carry the array \"probabilities\"");
  if (!batch.failure.empty()) return bad("reports an error: " + batch.failure);
  return checked(shape, from, std::move(batch.values));
}

namespace {

PluginAnswer kind_of(std::string_view answer) {
  return answer.empty() ? PluginAnswer::kThrew : PluginAnswer{answer.front()};
}

std::size_t bytes_of(const InputShape& shape, std::int64_t count) {
  return static_cast<std::size_t>(count * shape.width()) * sizeof(double);
}

constexpr const char* kForged = "the plug-in wrote into Assay's answers";

// The content after the expected kind. Assay's own answers have a reason in place of a value.
Result<std::string_view> plugin_value(std::string_view answer, PluginAnswer wanted) {
  const PluginAnswer kind = kind_of(answer);
  const std::string_view rest = answer.substr(answer.empty() ? 0 : 1);
  if (kind == wanted) return rest;
  const bool threw = kind == PluginAnswer::kThrew || kind == PluginAnswer::kMemory;
  const bool refused = kind == PluginAnswer::kRefused || kind == PluginAnswer::kRefusedInput;
  if (rest.empty() || !(threw || refused)) return bad(kForged);
  return fail(kind == PluginAnswer::kRefusedInput ? ErrorCode::kRefusedInput : ErrorCode::kTarget,
              (threw ? "the plug-in " : "") + std::string(rest));
}

}  // namespace

std::optional<std::size_t> framed_bytes(std::string_view received, std::size_t most) {
  std::uint64_t length = 0;
  static_assert(sizeof length == kLengthBytes);
  if (received.size() < kLengthBytes) return std::nullopt;
  std::memcpy(&length, received.data(), kLengthBytes);
  if (length > most || received.size() - kLengthBytes < length) return std::nullopt;
  return static_cast<std::size_t>(length) + kLengthBytes;
}

Result<Ready> read_plugin_ready(std::string_view answer) {
  const std::string_view value = ASSAY_TRY(plugin_value(answer, PluginAnswer::kReady));
  if (value.empty()) return bad(kForged);
  const auto promises = static_cast<unsigned>(value.front());
  Ready ready{std::string(value.substr(1)), (promises & 1U) != 0, false};
  ready.probabilities = (promises & 2U) != 0;
  return ready;
}

Result<std::vector<double>> read_plugin_probabilities(const PathShape& shape,
                                                      std::string_view answer, std::int64_t from,
                                                      std::int64_t rounds) {
  const std::string_view value = ASSAY_TRY(plugin_value(answer, PluginAnswer::kRuns));
  std::vector<double> values(static_cast<std::size_t>(rounds * shape.actions));
  if (value.size() != values.size() * sizeof(double)) return bad(kForged);
  std::memcpy(values.data(), value.data(), value.size());
  return checked(shape, from, std::move(values));
}

Result<OutputBatch> read_plugin_runs(const InputShape& shape, std::string_view answer,
                                     std::int64_t count, RunFault* fault) {
  const PluginAnswer kind = kind_of(answer);
  const bool failed =
      answer.size() > 1 && (kind == PluginAnswer::kThrew || kind == PluginAnswer::kRefused);
  set(fault, failed                          ? RunFault::kFailed
             : kind == PluginAnswer::kMemory ? RunFault::kMemory
                                             : RunFault::kNone);
  const std::string_view value = ASSAY_TRY(plugin_value(answer, PluginAnswer::kRuns));
  const OutputLayout layout(shape);
  OutputBatch batch{count, layout.width(), {}};
  if (value.size() != static_cast<std::size_t>(count * layout.width()) * sizeof(double)) {
    return bad(kForged);
  }
  batch.values.resize(value.size() / sizeof(double));
  if (!value.empty()) std::memcpy(batch.values.data(), value.data(), value.size());
  // Only one NaN may remain, because a plug-in must not mark a run as failed by its numbers.
  for (double& number : batch.values) {
    if (std::isnan(number)) number = std::nan("");
  }
  const auto width = static_cast<std::size_t>(batch.width);
  for (std::int64_t i = 0; i < count; ++i) {
    blank_unplayed(layout,
                   std::span(batch.values).subspan(static_cast<std::size_t>(i) * width, width));
    if (const auto checked = check_output(layout, batch.play(i)); !checked) {
      return bad("output " + std::to_string(i + 1) + " " + checked.error().message);
    }
  }
  return batch;
}

bool plugin_goes_on(const InputShape& shape, std::string_view answer, std::int64_t count) {
  const PluginAnswer kind = kind_of(answer);
  if (kind == PluginAnswer::kRefused || kind == PluginAnswer::kRefusedInput) {
    return answer.size() > 1;
  }
  return kind == PluginAnswer::kRuns && answer.size() == 1 + bytes_of(shape, count);
}

}  // namespace assay::detail
