// Configurations of mechanisms, policies and audits. Each lists its fields once.
//
// A configuration is a plain struct with default values and a static function `fields(visit)`, which calls
//     visit(field("horizon", &Config::horizon, Range{1, 1'000'000}, "T", "number of rounds"));
// once for each member: name, member, range, the paper's symbol, help. Everything else follows from that
// list: the reading of `-p horizon=100`, validation with errors that name the field and its range, help
// text, `assay explain`, the JSON of a report, the variables in a claim such as "mu=sqrt(T/2)", and the
// generators of property tests.
//
// A field is a double, a std::int64_t, a bool, or an enum with an ADL function
//     constexpr auto enum_names(E) -> std::array<std::pair<E, std::string_view>, n>.
// An optional member `Status check() const` checks rules between fields ("b N <= T").
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

// A closed interval of allowed values. Infinity is never allowed.
struct Range {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
};

template <class Config, class T>
struct Field {
  std::string_view name;
  T Config::*member;
  Range range;
  std::string_view symbol;  // the paper's symbol ("T"), which claims may use; empty for none
  std::string_view help;    // one line
};

template <class Config, class T>
constexpr Field<Config, T> field(std::string_view name, T Config::*member, Range range,
                                 std::string_view symbol, std::string_view help) {
  return {name, member, range, symbol, help};
}

// Visits the fields of a base class, for the list of a configuration that derives from it.
template <class Config, class Base>
constexpr void visit_base_fields(auto&& visit) {
  Base::fields([&]<class T>(const Field<Base, T>& f) {
    visit(Field<Config, T>{f.name, f.member, f.range, f.symbol, f.help});
  });
}

// Configurations are equal if all their fields are equal.
template <class Config>
requires requires {
  Config::fields([]<class T>(const Field<Config, T>&) {});
}
bool operator==(const Config& a, const Config& b) {
  bool equal = true;
  Config::fields([&]<class T>(const Field<Config, T>& f) {
    if (!(a.*f.member == b.*f.member)) equal = false;
  });
  return equal;
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

// The text of a number as reports write it: the shortest that reads back to the same bits.
std::string number_text(double value);
Result<double> parse_number(std::string_view text);  // rejects NaN, infinity and trailing text
Result<std::int64_t> parse_integer(std::string_view text);  // accepts "100000" and "1e5"
// "did you mean 'horizon'?", with the word of `known` that is nearest. Empty if none is within a third of the word's
// length in edits.
std::string nearest_hint(std::string_view word, const std::vector<std::string>& known);

namespace detail {

// The values of an enum, as users write them.
struct Choices {
  std::span<const std::string_view> names;
  std::size_t (*find)(const void* value);  // its index; names.size() if it is none of them
  void (*set)(void* value, std::size_t choice);
};
template <class E>
struct ChoicesOf {
  static constexpr auto kTable = enum_names(E{});
  static constexpr auto kNames = [] {
    std::array<std::string_view, kTable.size()> names;
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = kTable[i].second;
    return names;
  }();
  static std::size_t find(const void* value) {
    std::size_t i = 0;
    while (i < kTable.size() && kTable[i].first != *static_cast<const E*>(value)) ++i;
    return i;
  }
  static void set(void* value, std::size_t choice) {
    *static_cast<E*>(value) = kTable[choice].first;
  }
  static constexpr Choices kChoices{kNames, find, set};
};
std::string choice_text(const Choices& choices, const void* value);
std::string allowed_text(const Choices& choices);
Status read_choice(const Choices& choices, std::string_view text, void* value);
Result<bool> parse_boolean(std::string_view text);

template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<T>) {
    return choice_text(ChoicesOf<T>::kChoices, &value);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return std::to_string(value);
  } else {
    return number_text(value);
  }
}

template <class T>
Result<T> read_value(std::string_view text) {
  if constexpr (std::is_same_v<T, bool>) {
    return parse_boolean(text);
  } else if constexpr (std::is_enum_v<T>) {
    T value{};
    ASSAY_TRY(read_choice(ChoicesOf<T>::kChoices, text, &value));
    return value;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return parse_integer(text);
  } else {
    return parse_number(text);
  }
}

// A field of one configuration with its type erased, so that the code that handles fields compiles once.
struct FieldValue {
  std::string_view name, symbol, help;
  Range range;
  std::variant<bool*, std::int64_t*, double*, const Choices*> type;
  void* value = nullptr;
};

template <class Config>
std::vector<FieldValue> fields_of(const Config& config) {
  std::vector<FieldValue> fields;
  Config::fields([&]<class T>(const Field<Config, T>& f) {
    T& value = const_cast<T&>(config.*f.member);  // only set_one() writes, to a non-const object
    if constexpr (std::is_enum_v<T>) {
      fields.push_back({f.name, f.symbol, f.help, f.range, &ChoicesOf<T>::kChoices, &value});
    } else {
      fields.push_back({f.name, f.symbol, f.help, f.range, &value, &value});
    }
  });
  return fields;
}

std::vector<FieldDescription> describe(const std::vector<FieldValue>& defaults);
std::vector<KeyValue> values_of(const std::vector<FieldValue>& fields);
Status set_one(const std::vector<FieldValue>& fields, std::string_view name, std::string_view text);
Status check_ranges(const std::vector<FieldValue>& fields);

}  // namespace detail

template <class Config>
std::vector<FieldDescription> describe_fields() {
  const Config defaults{};
  return detail::describe(detail::fields_of(defaults));
}

template <class Config>
std::vector<KeyValue> field_values(const Config& config) {
  return detail::values_of(detail::fields_of(config));
}

// Sets one field from text. Errors: an unknown name (the message suggests the nearest known one), or text that cannot
// be read as the field's type.
template <class Config>
Status set_field(Config& config, std::string_view name, std::string_view text) {
  return detail::set_one(detail::fields_of(config), name, text);
}

// Checks every field's range, then the configuration's own rules between fields.
template <class Config>
Status validate(const Config& config) {
  Status status = detail::check_ranges(detail::fields_of(config));
  if constexpr (requires { config.check(); }) {
    if (status) return config.check();
  }
  return status;
}

// Makes a configuration from the defaults and the `given` fields, and validates it. Errors: those of set_field() and
// validate().
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
