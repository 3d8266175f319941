#include "assay/mechanisms/core/configuration.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "assay/mechanisms/core/messages.hpp"

namespace assay {

std::string number_text(double value) {
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return error == std::errc{} ? std::string(buffer, end) : "?";
}

Result<double> parse_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) {
    return fail(ErrorCode::kParse, "must be a number, not '" + std::string(text) + "'");
  }
  if (!std::isfinite(value)) {
    return fail(ErrorCode::kParse, "must be a finite number, not '" + std::string(text) + "'");
  }
  return value;
}

Result<std::int64_t> parse_integer(std::string_view text) {
  const auto value = parse_number(text);
  if (!value || *value != std::floor(*value) || std::fabs(*value) > 9.0e15) {
    return fail(ErrorCode::kParse, "must be a whole number, not '" + std::string(text) + "'");
  }
  return static_cast<std::int64_t>(*value);
}

namespace {

// The number of characters to insert, delete, replace or swap with the next one (typing errors; Damerau, 1964).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);  // of a without its last 2, 1 and 0
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last);
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

// "1 to 1000000".
std::string range_text(Range range) {
  return number_text(range.low) + " to " + number_text(range.high);
}

std::string text_of(const detail::FieldValue& field) {
  if (const auto* choices = std::get_if<const detail::Choices*>(&field.type)) {
    return detail::choice_text(**choices, field.value);
  }
  if (const auto* number = std::get_if<double*>(&field.type)) return number_text(**number);
  if (const auto* whole = std::get_if<std::int64_t*>(&field.type)) return std::to_string(**whole);
  return detail::value_text(**std::get_if<bool*>(&field.type));
}

Status read_field(const detail::FieldValue& field, std::string_view text) {
  const auto keep = [](auto* value, auto read) -> Status {
    if (!read) return tl::make_unexpected(read.error());
    *value = *read;
    return {};
  };
  if (const auto* choices = std::get_if<const detail::Choices*>(&field.type)) {
    return detail::read_choice(**choices, text, field.value);
  }
  if (const auto* number = std::get_if<double*>(&field.type))
    return keep(*number, parse_number(text));
  if (const auto* whole = std::get_if<std::int64_t*>(&field.type)) {
    return keep(*whole, parse_integer(text));
  }
  return keep(*std::get_if<bool*>(&field.type), detail::parse_boolean(text));
}

}  // namespace

namespace detail {

std::string choice_text(const Choices& choices, const void* value) {
  const std::size_t choice = choices.find(value);
  return choice < choices.names.size() ? std::string(choices.names[choice]) : "?";
}

std::string allowed_text(const Choices& choices) {
  std::string text;
  for (const auto name : choices.names) text += (text.empty() ? "" : " | ") + std::string(name);
  return text;
}

Status read_choice(const Choices& choices, std::string_view text, void* value) {
  const auto found = std::find(choices.names.begin(), choices.names.end(), text);
  if (found == choices.names.end()) {
    return fail(ErrorCode::kParse,
                "must be " + allowed_text(choices) + ", not '" + std::string(text) + "'");
  }
  choices.set(value, static_cast<std::size_t>(found - choices.names.begin()));
  return {};
}

Result<bool> parse_boolean(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return fail(ErrorCode::kParse, "must be true or false, not '" + std::string(text) + "'");
}

std::vector<FieldDescription> describe(const std::vector<FieldValue>& defaults) {
  std::vector<FieldDescription> out;
  for (const FieldValue& field : defaults) {
    const auto* choices = std::get_if<const Choices*>(&field.type);
    const bool boolean = std::holds_alternative<bool*>(field.type);
    const bool whole = std::holds_alternative<std::int64_t*>(field.type);
    out.push_back({std::string(field.name), std::string(field.symbol),
                   choices   ? "choice"
                   : boolean ? "boolean"
                   : whole   ? "integer"
                             : "number",
                   text_of(field),
                   choices   ? allowed_text(**choices)
                   : boolean ? "true | false"
                             : range_text(field.range),
                   std::string(field.help)});
  }
  return out;
}

std::vector<KeyValue> values_of(const std::vector<FieldValue>& fields) {
  std::vector<KeyValue> out;
  for (const FieldValue& field : fields) out.push_back({std::string(field.name), text_of(field)});
  return out;
}

Status set_one(const std::vector<FieldValue>& fields, std::string_view name,
               std::string_view text) {
  std::vector<std::string> known;
  for (const FieldValue& field : fields) {
    known.emplace_back(field.name);
    if (field.name != name) continue;
    const Status status = read_field(field, text);
    if (status) return status;
    return fail(status.error().code, std::string(name) + " " + status.error().message,
                "/" + std::string(name));
  }
  return fail(ErrorCode::kUnknownKey,
              "unknown parameter '" + std::string(name) + "'" + nearest_hint(name, known),
              "/" + std::string(name));
}

Status check_ranges(const std::vector<FieldValue>& fields) {
  for (const FieldValue& field : fields) {
    const auto* number = std::get_if<double*>(&field.type);
    const auto* whole = std::get_if<std::int64_t*>(&field.type);
    if (number == nullptr && whole == nullptr) continue;
    const double value = number != nullptr ? **number : static_cast<double>(**whole);
    if (value >= field.range.low && value <= field.range.high) continue;
    return fail(
        ErrorCode::kInvalidArgument,
        std::string(field.name) + " must be " + range_text(field.range) + ", not " + text_of(field),
        "/" + std::string(field.name));
  }
  return {};
}

}  // namespace detail

std::string nearest_hint(std::string_view word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = &candidate;
    }
  }
  if (best != nullptr) return "; did you mean '" + *best + "'?";
  return known.empty() ? "" : "; known: " + joined(known);
}

}  // namespace assay
