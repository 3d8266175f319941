// The JSON of shapes and outputs, which the process protocol and recorded runs share.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/policies/external/internal/runs_reader.hpp"
#include "assay/policies/external/target.hpp"

namespace assay::detail {

// Reads one line of JSON from left to right, and stops at the first value that is not allowed there, so that the
// shape bounds memory and time whatever the bytes. A line is a message, or a single output. A message is an object
// of plain values and possibly "outputs", an array of `count` outputs. The output of a failed run is
// {"failed": "the reason"}. With other words the array has another name, and other things in place of outputs.
class AnswerReader {
 public:
  enum class Line { kMessage, kOutput };

  AnswerReader(const InputShape& shape, std::int64_t count, Line line,
               const AnswerWords& words = kPlays)
      : shape_(shape), layout_(shape), count_(count), line_(line), words_(words) {
    batch_.width = layout_.width();
  }

  // Returns false unless the whole line is such a line.
  bool read(std::string_view text) {
    return nlohmann::json::sax_parse(text.begin(), text.end(), this) && trouble_.empty();
  }

  bool is_json() const { return !broken_; }
  const std::string& trouble() const { return trouble_; }        // what was wrong
  const nlohmann::json& fields() const { return fields_; }       // plain ones
  const std::string& unknown_field() const { return unknown_; }  // the first that no message has
  OutputBatch take_outputs() { return std::move(batch_); }

  // The JSON library calls these for each value; false stops it.
  bool null() { return scalar(nullptr); }
  bool boolean(bool value) { return scalar(value); }
  bool number_integer(std::int64_t value) { return number(static_cast<double>(value), value); }
  bool number_unsigned(std::uint64_t value) { return number(static_cast<double>(value), value); }
  bool number_float(double value, const std::string&) { return number(value, value); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool string(std::string& value) {
    if (place_ == Place::kFailed && key_ == "failed") {
      said_ = value.substr(0, kMostSaid);
      return true;
    }
    if (place_ != Place::kOutput || !layout_.tells_numbers()) return scalar(value);
    if (value == "inf") return entry(std::numeric_limits<double>::infinity());
    if (value == "-inf") return entry(-std::numeric_limits<double>::infinity());
    if (value == "nan") return entry(std::nan(""));
    return scalar(value);
  }
  bool start_object(std::size_t) {
    if (place_ == Place::kOutputs) {
      if (batch_.count == count_) return too_many();
      said_.reset();
      place_ = Place::kFailed;
      return true;
    }
    if (place_ != Place::kTop || line_ != Line::kMessage) return composite();
    place_ = Place::kField;
    return true;
  }
  bool key(std::string& name) {
    constexpr std::string_view kKnown[] = {"type",          "id",     "outputs",
                                           "name",          "seeded", "message",
                                           "deterministic", "keys",   "probabilities"};
    key_ = std::move(name);
    if (place_ == Place::kFailed) {
      if (key_ == "failed" && !said_) return true;
      return stop(where() + "must be an array, or {\"failed\": \"the reason\"}");
    }
    known_ = std::find(std::begin(kKnown), std::end(kKnown), key_) != std::end(kKnown);
    if (!known_ && unknown_.empty()) unknown_ = "\"" + key_.substr(0, 40) + "\"";
    if (!known_ && ++unknown_fields_ > kMostUnknown) return stop("has many unknown fields");
    if (known_ && fields_.contains(key_)) return stop("has \"" + key_ + "\" twice");
    return true;
  }
  bool end_object() {
    if (place_ == Place::kFailed) {
      if (!said_) return stop(where() + "must be an array, or {\"failed\": \"the reason\"}");
      batch_.add_failed(*said_);
      first_ = batch_.values.size();
      place_ = Place::kOutputs;
      return true;
    }
    place_ = Place::kTop;
    return true;
  }
  bool start_array(std::size_t) {
    if (place_ == Place::kTop && line_ == Line::kOutput) {
      place_ = Place::kOutput;
    } else if (place_ == Place::kField && key_ == words_.field) {
      fields_[key_] = true;
      place_ = Place::kOutputs;
    } else if (place_ == Place::kOutputs) {
      if (batch_.count == count_) return too_many();
      place_ = Place::kOutput;
    } else {
      return composite();
    }
    return true;
  }
  bool end_array() {
    if (place_ == Place::kOutputs) {
      place_ = Place::kField;
      if (batch_.count == count_) return true;
      return stop("has " + std::to_string(batch_.count) + " " + std::string(words_.item) +
                  "s, not " + std::to_string(count_));
    }
    const auto output = laid_out(shape_, std::span<const double>(batch_.values).subspan(first_));
    if (!output) return stop(where() + output.error().message);
    batch_.values.resize(first_);
    batch_.values.insert(batch_.values.end(), output->begin(), output->end());
    ++batch_.count;
    first_ = batch_.values.size();
    place_ = line_ == Line::kOutput ? Place::kTop : Place::kOutputs;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) {
    broken_ = true;
    return false;
  }

 private:
  enum class Place { kTop, kField, kOutputs, kOutput, kFailed };
  static constexpr int kMostUnknown = 16;
  static constexpr std::size_t kMostSaid = 1000;  // bytes of the text about a failed run

  bool stop(std::string what) {
    trouble_ = std::move(what);
    return false;
  }
  bool too_many() {
    return stop("has more than " + std::to_string(count_) + " " + std::string(words_.item) + "s");
  }
  std::string where() const {
    return line_ == Line::kOutput
               ? ""
               : std::string(words_.item) + " " + std::to_string(batch_.count + 1) + " ";
  }
  bool entry(double value) {
    if (batch_.values.size() - first_ == static_cast<std::size_t>(layout_.longest())) {
      return stop(where() + "has more than " + std::to_string(layout_.longest()) +
                  (!layout_.tells_numbers() ? " actions"
                   : layout_.actions == 0   ? " numbers"
                                            : " entries"));
    }
    batch_.values.push_back(value);
    return true;
  }
  template <class T>
  bool number(double value, const T& as_field) {
    return place_ == Place::kOutput ? entry(value) : scalar(as_field);
  }
  template <class T>
  bool scalar(const T& value) {
    if (place_ != Place::kField) return composite();
    if (known_) fields_[key_] = value;
    return true;
  }
  // Stops at a value of a kind that is not allowed here.
  bool composite() {
    switch (place_) {
      case Place::kTop:
        return stop(line_ == Line::kOutput ? "must be an array"
                                           : "must be an object with a \"type\"");
      case Place::kField:
        return stop("must have a plain value as \"" + key_.substr(0, 40) + "\"");
      case Place::kOutputs:
        return stop(where() + "must be an array");
      case Place::kFailed:
        return stop(where() + "must have text as \"failed\"");
      case Place::kOutput:
        return stop(where() + "entry " + std::to_string(batch_.values.size() - first_ + 1) +
                    " must be a number");
    }
    return false;
  }

  const InputShape& shape_;
  OutputLayout layout_;
  std::int64_t count_;
  Line line_;
  AnswerWords words_;
  Place place_ = Place::kTop;
  std::string key_;
  bool known_ = false;
  int unknown_fields_ = 0;
  nlohmann::json fields_ = nlohmann::json::object();
  std::string unknown_, trouble_;
  bool broken_ = false;
  OutputBatch batch_;
  std::optional<std::string> said_;  // the text about a failed run
  std::size_t first_ = 0;            // index of the first value of the current output
};

// {"kind": "bandit", "arms": 5, "horizon": 100}; "domain" and "neighbours" if they were given.
inline nlohmann::json shape_object(const InputShape& shape) {
  nlohmann::json out;
  const auto names = shape.used_fields();
  InputShape::fields([&]<class T>(const Field<InputShape, T>& f) {
    if (std::find(names.begin(), names.end(), f.name) == names.end()) return;
    if constexpr (std::is_enum_v<T>) {
      out[std::string(f.name)] = value_text(shape.*f.member);
    } else {
      out[std::string(f.name)] = shape.*f.member;
    }
  });
  if (shape.domain) out["domain"] = shape.domain->text();
  if (shape.neighbours) out["neighbours"] = shape.neighbours->text();
  return out;
}

// Reads the auditor's rules for inputs from text.
inline Status read_told(InputShape& shape, const std::string& name, const nlohmann::json& value) {
  if (!value.is_string()) return fail(ErrorCode::kParse, name + " must be a string");
  if (name == "domain") {
    shape.domain = ASSAY_TRY(parse_domain(value.get<std::string>()));
  } else {
    shape.neighbours = ASSAY_TRY(parse_neighbours(value.get<std::string>()));
  }
  return {};
}

// Errors name fields that are unknown, missing, mistyped or out of range.
inline Result<InputShape> read_shape(const nlohmann::json& object) {
  const auto bad = [](const std::string& what) {
    return fail(ErrorCode::kParse, "\"shape\" " + what);
  };
  if (!object.is_object() || !object.contains("kind") || !object["kind"].is_string()) {
    return bad("must be an object with a \"kind\"");
  }
  InputShape shape;
  const auto kind = set_field(shape, "kind", object["kind"].get<std::string>());
  if (!kind) return bad(kind.error().message);
  const auto names = shape.used_fields();
  for (const auto& item : object.items()) {
    if (item.key() == "kind") continue;
    if (item.key() == "domain" || item.key() == "neighbours") {
      if (const auto told = read_told(shape, item.key(), item.value()); !told) {
        return bad(told.error().message);
      }
      continue;
    }
    const bool is_flag = item.key() == "stops";
    const bool is_more = is_flag || item.key() == "numbers" || item.key() == "estimates";
    if (!is_more && std::find(names.begin(), names.end(), item.key()) == names.end()) {
      return bad("has the unknown field \"" + item.key() + "\"");
    }
    if (is_flag && !item.value().is_boolean()) return bad("stops must be true or false");
    if (!is_flag && !item.value().is_number_integer()) {
      return bad(item.key() + " must be an integer");
    }
    if (const auto set = set_field(shape, item.key(), item.value().dump()); !set) {
      return bad(set.error().message);
    }
  }
  for (const auto& name : names) {
    if (!object.contains(std::string(name))) return bad("lacks " + std::string(name));
  }
  if (const auto status = validate(shape); !status) return bad(status.error().message);
  return shape;
}

}  // namespace assay::detail
