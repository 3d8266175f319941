#include "assay/policies/external/process_target.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "assay/mechanisms/core/result.hpp"
#include "assay/policies/external/child_environment.hpp"
#include "assay/policies/external/internal/answers.hpp"
#include "assay/policies/external/internal/messages.hpp"
#include "assay/policies/external/sandbox.hpp"

namespace assay {
namespace {

using Json = nlohmann::json;

// Seeds are JSON numbers, which every language reads exactly up to 2^53.
constexpr int kSeedBits = 53;

// Writes numbers as the JSON library does, but without its document.
void append_numbers(std::string& text, std::span<const double> values) {
  std::array<char, 64> digits;
  text += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    const char* end =
        nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), values[i]);
    text.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }
  text += ']';
}

// A plain array for a stream or a mechanism's values, else an array of rows, even of one row.
std::string input_text(const InputKindTraits& kind, const InputTable& input) {
  std::string text;
  if (input.columns == 1 || !kind.has_rounds()) {
    append_numbers(text, input.values);
    return text;
  }
  const std::span<const double> values(input.values);
  const auto columns = static_cast<std::size_t>(input.columns);
  for (std::size_t at = 0; at < values.size(); at += columns) {
    text += at == 0 ? '[' : ',';
    append_numbers(text, values.subspan(at, columns));
  }
  return text + ']';
}

void append_hex(std::string& text, const RunKey& key) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const std::uint64_t word : key) {
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[word >> shift & 15U];
  }
}

void append_whole(std::string& text, std::uint64_t number) {
  std::array<char, 20> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

// A line. Without keys the message has no "keys".
void write_play_request(std::string& text, std::int64_t id, const std::string& input,
                        std::span<const std::uint64_t> seeds, std::span<const RunKey> keys) {
  text = "{\"id\":";
  append_whole(text, static_cast<std::uint64_t>(id));
  text += ",\"input\":";
  text += input;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    text += i > 0 ? "\",\"" : ",\"keys\":[\"";
    append_hex(text, keys[i]);
  }
  if (!keys.empty()) text += "\"]";
  text += ",\"seeds\":[";
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    if (i > 0) text += ',';
    append_whole(text, seeds[i] >> (64 - kSeedBits));
  }
  text += "],\"type\":\"play\"}\n";
}

void write_path_request(std::string& text, std::int64_t id, const std::string& input,
                        std::uint64_t seed, std::span<const int> actions, std::int64_t from) {
  text = "{\"id\":";
  append_whole(text, static_cast<std::uint64_t>(id));
  text += ",\"input\":";
  text += input;
  text += ",\"actions\":[";
  for (std::size_t i = 0; i < actions.size(); ++i) {
    if (i > 0) text += ',';
    append_whole(text, static_cast<std::uint64_t>(actions[i]));
  }
  text += "],\"from\":";
  append_whole(text, static_cast<std::uint64_t>(from));
  text += ",\"seed\":";
  append_whole(text, seed >> (64 - kSeedBits));
  text += ",\"type\":\"path\"}\n";
}

// Puts `whom` before the error, but not before an interruption, for which nobody is to blame.
Error said_of(const std::string& whom, Error error) {
  if (error.code != ErrorCode::kInterrupted) error.message = whom + " " + error.message;
  return error;
}

}  // namespace

ProcessTarget::ProcessTarget(const ProcessTargetConfig& config, ChildProcess child)
    : config_(config), child_(std::move(child)) {}

ProcessTarget::~ProcessTarget() { child_.finish(); }

Result<std::unique_ptr<ProcessTarget>> ProcessTarget::start(const ProcessTargetConfig& config) {
  ASSAY_TRY(validate(config.shape));
  auto child = ASSAY_TRY(ChildProcess::start(config.command, config.limits));
  std::unique_ptr<ProcessTarget> target(new ProcessTarget(config, std::move(child)));
  ASSAY_TRY(target->greet());
  return target;
}

Status ProcessTarget::greet() {
  const Json hello{{"assay_protocol", kProtocolVersion},
                   {"type", "hello"},
                   {"shape", detail::shape_object(config_.shape)}};
  const auto line = child_.ask(hello.dump());
  if (!line) {
    Error error = said_of("greeting: the target", line.error());
    if (error.code == ErrorCode::kTarget) {
      const std::string advice = config_.limits.sandbox ? sandbox_advice(error.message) : "";
      const bool has_ended = child_.fault() == ChildFault::kEnded;
      error.message += !advice.empty() ? advice
                       : has_ended     ? environment_advice(config_.limits.environment)
                                       : "";
    }
    return tl::make_unexpected(error);
  }
  auto ready = detail::read_ready(config_.shape, *line);
  if (!ready) {
    return tl::make_unexpected(
        child_.finish_with(said_of("greeting: the target's answer", ready.error())));
  }
  greeting_ = hello.dump();
  greeting_answer_ = std::string(*line);
  name_ = std::move(ready->name);
  seeded_ = ready->seeded;
  deterministic_ = ready->deterministic;
  reports_probabilities_ = ready->probabilities;
  takes_keys_ = !ready->keys   ? TakesKeys::kUnsaid
                : *ready->keys ? TakesKeys::kTaken
                               : TakesKeys::kDeclined;
  return {};
}

Result<const std::string*> ProcessTarget::text_of(const InputTable& input) {
  for (const InputText& known : texts_) {
    if (known.input == input) return &known.text;
  }
  ASSAY_TRY(check_input(config_.shape, input));
  if (texts_.size() >= 2) texts_.erase(texts_.begin());
  texts_.push_back({input, input_text(config_.shape.traits(), input)});
  return &texts_.back().text;
}

Status ProcessTarget::start_again() {
  if (!resting_) return {};
  child_ = ASSAY_TRY(ChildProcess::start(config_.command, config_.limits));
  resting_ = false;
  return greet();
}

FailingRuns::Answer ProcessTarget::ask(const std::string& input,
                                       std::span<const std::uint64_t> seeds,
                                       std::span<const RunKey> keys) {
  if (const auto started = start_again(); !started) {
    return {tl::make_unexpected(started.error())};
  }
  const std::int64_t id = ++runs_asked_;
  const auto where = [id] { return "message " + std::to_string(id) + ": the target"; };
  write_play_request(request_, id, input, seeds, keys);
  const auto line = child_.ask(request_);
  if (!line) {
    const bool fails = detail::is_run_fault(child_.fault(), config_.limits);
    resting_ = fails;
    return {tl::make_unexpected(said_of(where(), line.error())), fails ? child_.fault_text() : "",
            fails};
  }
  detail::RunFault fault = detail::RunFault::kNone;
  auto batch =
      detail::read_runs(config_.shape, *line, id, static_cast<std::int64_t>(seeds.size()), &fault);
  if (batch) {
    if (!batch->failure.empty() && !runs_.first()) {
      runs_.note({ErrorCode::kTarget,
                  where() + "'s answer reports an error: " + batch->failure + child_.last_words(),
                  "", 0});
    }
    return {std::move(batch)};
  }
  const bool fails = detail::is_run_fault(fault, config_.limits);
  std::string failure = fails ? batch.error().message : "";
  // After a refused input the process still answers other requests.
  if (batch.error().code == ErrorCode::kRefusedInput) {
    return {tl::make_unexpected(said_of(where(), batch.error()))};
  }
  resting_ = fails;
  return {tl::make_unexpected(child_.finish_with(said_of(where() + "'s answer", batch.error()))),
          std::move(failure), fails};
}

Result<OutputBatch> ProcessTarget::play_keyed(const InputTable& input,
                                              std::span<const std::uint64_t> seeds,
                                              std::span<const RunKey> keys) {
  const auto text = ASSAY_TRY(text_of(input));
  return runs_.play(config_.shape.width(), seeds, [&](std::span<const std::uint64_t> some) {
    const auto first = static_cast<std::size_t>(some.data() - seeds.data());
    return ask(*text, some, keys.empty() ? keys : keys.subspan(first, some.size()));
  });
}

Result<std::vector<double>> ProcessTarget::probabilities(const InputTable& input,
                                                         std::uint64_t seed,
                                                         std::span<const int> actions,
                                                         std::int64_t from) {
  const auto shape = ASSAY_TRY(path_shape(config_.shape));
  const auto text = ASSAY_TRY(text_of(input));
  ASSAY_TRY(start_again());
  const std::int64_t id = ++runs_asked_;
  const std::string where = "message " + std::to_string(id) + ": the target";
  write_path_request(request_, id, *text, seed, actions, from);
  const auto line = child_.ask(request_);
  if (!line) return tl::make_unexpected(said_of(where, line.error()));
  const auto rounds = shape.answered(static_cast<std::int64_t>(actions.size()), from);
  auto values = detail::read_probabilities(shape, *line, id, from, rounds);
  if (values) return values;
  return tl::make_unexpected(child_.finish_with(said_of(where + "'s answer", values.error())));
}

Result<std::unique_ptr<Target>> ProcessTarget::clone() const {
  auto counterpart = ASSAY_TRY(start(config_));
  counterpart->runs_ = runs_;
  return std::unique_ptr<Target>(std::move(counterpart));
}

void ProcessTarget::rest() {
  child_.finish();
  resting_ = true;
}

}  // namespace assay
