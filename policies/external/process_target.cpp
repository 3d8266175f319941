#include "assay/policies/external/process_target.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "assay/policies/external/messages.inc"
#include "assay/policies/external/plays_reader.inc"

namespace assay {
namespace {

using Json = nlohmann::json;

// Seeds travel as JSON numbers, which every language reads exactly up to 2^53.
constexpr int kSeedBits = 53;

tl::unexpected<Error> bad(std::string what) { return fail(ErrorCode::kTarget, std::move(what)); }

// The message as an object of the given type whose fields are among `known`.
Result<Json> read_message(const std::string& line, const std::string& type,
                          const std::vector<std::string>& known) {
  Json message = Json::parse(line, nullptr, false);
  if (message.is_discarded()) return bad("is not JSON: " + line.substr(0, 80));
  if (!message.is_object() || !message.contains("type") || !message["type"].is_string()) {
    return bad("must be an object with a \"type\"");
  }
  const auto got = message["type"].get<std::string>();
  if (got == "error") {
    const bool said = message.contains("message") && message["message"].is_string();
    return bad("reports an error: " +
               (said ? message["message"].get<std::string>().substr(0, 300) : "(no message)"));
  }
  if (got != type)
    return bad("must have the type \"" + type + "\", not \"" + got.substr(0, 40) + "\"");
  for (const auto& item : message.items()) {
    bool found = item.key() == "type";
    for (const auto& name : known) found = found || item.key() == name;
    if (!found) return bad("has the unknown field \"" + item.key().substr(0, 40) + "\"");
  }
  return message;
}

// From the document, with what is wrong in words.
Result<OutputBatch> read_plays_document(const TargetShape& shape, const std::string& line,
                                        std::int64_t id, std::int64_t count) {
  const auto message = read_message(line, "plays", {"id", "outputs"});
  if (!message) return tl::make_unexpected(message.error());
  if (!message->contains("id") || !(*message)["id"].is_number_integer() ||
      (*message)["id"].get<std::int64_t>() != id) {
    return bad("must carry the id " + std::to_string(id) + " of the request");
  }
  if (!message->contains("outputs") || !(*message)["outputs"].is_array()) {
    return bad("must carry the array \"outputs\"");
  }
  const Json& outputs = (*message)["outputs"];
  if (static_cast<std::int64_t>(outputs.size()) != count) {
    return bad("has " + std::to_string(outputs.size()) + " outputs, not " + std::to_string(count));
  }
  OutputBatch batch{count, shape.width(), {}};
  batch.values.reserve(static_cast<std::size_t>(count * shape.width()));
  std::int64_t index = 0;
  for (const Json& output : outputs) {
    ++index;
    if (const auto status = detail::append_output(shape, output, batch.values); !status) {
      return bad("output " + std::to_string(index) + " " + status.error().message);
    }
  }
  return batch;
}

Result<OutputBatch> read_plays(const TargetShape& shape, const std::string& line, std::int64_t id,
                               std::int64_t count) {
  if (shape.kind != TargetKind::kMechanism) {
    detail::PlaysReader reader(id, count, shape.width());
    if (reader.read(line)) {
      OutputBatch batch{count, shape.width(), reader.values()};
      bool known = true;
      for (std::int64_t i = 0; known && i < count; ++i) {
        known = check_output(shape, batch.play(i)).has_value();
      }
      if (known) return batch;
    }
  }
  return read_plays_document(shape, line, id, count);
}

// One column (a stream) or one row (a mechanism's values) as a plain array, else an array of rows.
Json input_json(const InputTable& input) {
  if (input.columns == 1 || input.rows == 1) return input.values;
  Json rows = Json::array();
  for (std::int64_t row = 0; row < input.rows; ++row) {
    const auto first = input.values.begin() + row * input.columns;
    rows.push_back(std::vector<double>(first, first + input.columns));
  }
  return rows;
}

}  // namespace

ProcessTarget::ProcessTarget(const ProcessTargetConfig& config, ChildProcess child)
    : config_(config), child_(std::move(child)) {}

ProcessTarget::~ProcessTarget() { child_.finish(); }

Result<std::unique_ptr<ProcessTarget>> ProcessTarget::start(const ProcessTargetConfig& config) {
  if (const auto status = validate(config.shape); !status) {
    return tl::make_unexpected(status.error());
  }
  auto child = ChildProcess::start(config.command, config.limits);
  if (!child) return tl::make_unexpected(child.error());
  std::unique_ptr<ProcessTarget> target(new ProcessTarget(config, std::move(*child)));
  if (const auto status = target->greet(); !status) return tl::make_unexpected(status.error());
  return target;
}

Status ProcessTarget::greet() {
  const Json hello{{"assay_protocol", kProtocolVersion},
                   {"type", "hello"},
                   {"shape", detail::shape_object(config_.shape)}};
  const auto line = child_.ask(hello.dump());
  if (!line) return fail(ErrorCode::kTarget, "greeting: the target " + line.error().message);
  const auto ready = read_message(*line, "ready", {"name", "seeded", "deterministic"});
  const auto refuse = [](const std::string& what) {
    return fail(ErrorCode::kTarget, "greeting: the target's answer " + what);
  };
  if (!ready) return refuse(ready.error().message);
  if (!ready->contains("name") || !(*ready)["name"].is_string()) {
    return refuse("must carry its \"name\"");
  }
  for (const char* field : {"seeded", "deterministic"}) {
    if (ready->contains(field) && !(*ready)[field].is_boolean()) {
      return refuse(std::string("must have \"") + field + "\" true or false");
    }
  }
  name_ = (*ready)["name"].get<std::string>().substr(0, 200);
  seeded_ = ready->value("seeded", false);
  deterministic_ = ready->value("deterministic", false);
  return {};
}

Result<OutputBatch> ProcessTarget::broken(const std::string& message, const Error& error) {
  child_.finish();
  return fail(ErrorCode::kTarget, message + " " + error.message);
}

Result<const std::string*> ProcessTarget::text_of(const InputTable& input) {
  for (const InputText& known : texts_) {
    if (known.input == input) return &known.text;
  }
  if (const auto status = check_input(config_.shape, input); !status) {
    return tl::make_unexpected(status.error());
  }
  if (texts_.size() >= 2) texts_.erase(texts_.begin());
  texts_.push_back({input, input_json(input).dump()});
  return &texts_.back().text;
}

Result<OutputBatch> ProcessTarget::play(const InputTable& input,
                                        std::span<const std::uint64_t> seeds) {
  const auto text = text_of(input);
  if (!text) return tl::make_unexpected(text.error());
  const std::int64_t id = ++plays_asked_;
  std::string request = "{\"id\":" + std::to_string(id) + ",\"input\":";
  request += **text;
  request += ",\"seeds\":[";
  for (const std::uint64_t seed : seeds) {
    if (request.back() != '[') request += ',';
    request += std::to_string(seed >> (64 - kSeedBits));
  }
  request += "],\"type\":\"play\"}";
  const std::string where = "message " + std::to_string(id) + ": the target";
  const auto line = child_.ask(request);
  if (!line) return broken(where, line.error());
  auto batch = read_plays(config_.shape, *line, id, static_cast<std::int64_t>(seeds.size()));
  if (!batch) return broken(where + "'s answer", batch.error());
  return batch;
}

Result<std::unique_ptr<Target>> ProcessTarget::clone() const {
  auto twin = start(config_);
  if (!twin) return tl::make_unexpected(twin.error());
  return std::unique_ptr<Target>(std::move(*twin));
}

}  // namespace assay
