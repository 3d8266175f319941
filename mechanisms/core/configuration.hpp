// Configurations: aggregates that list their fields once.
//
// A configuration is a plain struct with defaults and a static `fields(visit)` that calls
//     visit(field("horizon", &Config::horizon, Range{1, 1'000'000}, "T", "rounds to play"));
// once per member. Everything else derives from that list: reading `-p horizon=100`, validation
// with errors that name the field and its range, help text, `assay explain`, the JSON of a report,
// the variables of a claim's arithmetic, and the generators of property tests.
//
// A field is a double, a std::int64_t, a bool, or an enum with an ADL function
//     constexpr auto enum_names(E) -> std::array<std::pair<E, std::string_view>, n>.
// Rules between fields ("b N <= T") live in an optional member `Status check() const`.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

// Closed interval of allowed values; infinities are never allowed values themselves.
struct Range {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
};

template <class Config, class T>
struct Field {
  std::string_view name;
  T Config::*member;
  Range range;
  std::string_view symbol;  // the paper's letter, usable in claims ("T"); empty for none
  std::string_view help;    // one line
};

template <class Config, class T>
constexpr Field<Config, T> field(std::string_view name, T Config::*member, Range range,
                                 std::string_view symbol, std::string_view help) {
  return {name, member, range, symbol, help};
}

// The fields of a base, for the list of a configuration that derives from it.
template <class Config, class Base>
constexpr void visit_base_fields(auto&& visit) {
  Base::fields([&]<class T>(const Field<Base, T>& f) {
    visit(Field<Config, T>{f.name, f.member, f.range, f.symbol, f.help});
  });
}

// A field as text, for help pages, reports and schemas.
struct FieldDescription {
  std::string name;
  std::string symbol;
  std::string type;           // "integer", "number", "boolean" or "choice"
  std::string default_value;  // as `-p name=value` would write it
  std::string allowed;        // "1 to 1000000", or "paper | corrected"
  std::string help;
};

struct KeyValue {
  std::string key;
  std::string value;
};

// Numbers as `-p` reads and reports write them: shortest text that reads back to the same bits.
std::string number_text(double value);
Result<double> parse_number(std::string_view text);  // rejects NaN, infinity and trailing text
Result<std::int64_t> parse_integer(std::string_view text);  // accepts "100000" and "1e5"
// "did you mean 'horizon'?" or empty: the nearest of `known` within a third of the word's length.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& known);

namespace detail {

template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    for (const auto& [candidate, name] : enum_names(T{})) {
      if (candidate == value) return std::string(name);
    }
    return "?";
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return std::to_string(value);
  } else {
    return number_text(value);
  }
}

template <class T>
std::string allowed_text(Range range) {
  if constexpr (std::is_same_v<T, bool>) {
    return "true | false";
  } else if constexpr (std::is_enum_v<T>) {
    std::string text;
    for (const auto& [candidate, name] : enum_names(T{})) {
      text += (text.empty() ? "" : " | ") + std::string(name);
    }
    return text;
  } else {
    return number_text(range.low) + " to " + number_text(range.high);
  }
}

template <class T>
Result<T> read_value(std::string_view text) {
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "true") return true;
    if (text == "false") return false;
    return fail(ErrorCode::kParse, "must be true or false, not '" + std::string(text) + "'");
  } else if constexpr (std::is_enum_v<T>) {
    for (const auto& [candidate, name] : enum_names(T{})) {
      if (name == text) return candidate;
    }
    return fail(ErrorCode::kParse,
                "must be " + allowed_text<T>({}) + ", not '" + std::string(text) + "'");
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return parse_integer(text);
  } else {
    return parse_number(text);
  }
}

template <class T>
std::string type_text() {
  if constexpr (std::is_same_v<T, bool>) return "boolean";
  if constexpr (std::is_enum_v<T>) return "choice";
  if constexpr (std::is_same_v<T, std::int64_t>) return "integer";
  return "number";
}

}  // namespace detail

template <class Config>
std::vector<FieldDescription> describe_fields() {
  const Config defaults{};
  std::vector<FieldDescription> out;
  Config::fields([&]<class T>(const Field<Config, T>& f) {
    out.push_back({std::string(f.name), std::string(f.symbol), detail::type_text<T>(),
                   detail::value_text(defaults.*f.member), detail::allowed_text<T>(f.range),
                   std::string(f.help)});
  });
  return out;
}

template <class Config>
std::vector<KeyValue> field_values(const Config& config) {
  std::vector<KeyValue> out;
  Config::fields([&]<class T>(const Field<Config, T>& f) {
    out.push_back({std::string(f.name), detail::value_text(config.*f.member)});
  });
  return out;
}

// Sets one field from text. Errors: an unknown name (with the nearest known one), unreadable text.
template <class Config>
Status set_field(Config& config, std::string_view name, std::string_view text) {
  Status status = fail(ErrorCode::kUnknownKey, {});
  bool found = false;
  std::vector<std::string> known;
  Config::fields([&]<class T>(const Field<Config, T>& f) {
    known.emplace_back(f.name);
    if (f.name != name) return;
    found = true;
    auto value = detail::read_value<T>(text);
    if (value) {
      config.*f.member = *value;
      status = Status{};
    } else {
      status = fail(value.error().code, std::string(f.name) + " " + value.error().message,
                    "/" + std::string(f.name));
    }
  });
  if (!found) {
    return fail(ErrorCode::kUnknownKey,
                "unknown parameter '" + std::string(name) + "'" + nearest_hint(name, known),
                "/" + std::string(name));
  }
  return status;
}

// Every field inside its range, then the configuration's own rules between fields.
template <class Config>
Status validate(const Config& config) {
  Status status;
  Config::fields([&]<class T>(const Field<Config, T>& f) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      const double value = static_cast<double>(config.*f.member);
      if (status && !(value >= f.range.low && value <= f.range.high)) {
        status = fail(ErrorCode::kInvalidArgument,
                      std::string(f.name) + " must be " + detail::allowed_text<T>(f.range) +
                          ", not " + detail::value_text(config.*f.member),
                      "/" + std::string(f.name));
      }
    }
  });
  if constexpr (requires { config.check(); }) {
    if (status) return config.check();
  }
  return status;
}

// Defaults, then `given`, then validated. Errors: those of set_field() and validate().
template <class Config>
Result<Config> read_configuration(const std::vector<KeyValue>& given) {
  Config config;
  for (const auto& [key, value] : given) {
    ASSAY_TRY(set_field(config, key, value));
  }
  ASSAY_TRY(validate(config));
  return config;
}

}  // namespace assay
