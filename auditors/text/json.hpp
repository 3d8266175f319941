// JSON values for writing, and their text, which people can read and compare by diff.
//
// A value that fits on its line stays there. A longer object has one key on each line, and a longer array of
// scalars fills lines. Keys keep their order. Doubles are written by number_text, in the shortest form that reads
// back to the same bits; infinities are the strings "inf" and "-inf". Bytes of a text that are not UTF-8 become
// U+FFFD. For reading, Assay uses another library, which few sources include.
//     Json out{{"name", name}, {"bounds", {{"lower", 0.5}, {"upper", 1.0}}}};
//     out["arms"] = std::vector<int>{1, 2};
//     json_text(out);
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"

namespace assay {

struct JsonMember;

class Json {
 public:
  Json();  // null
  // Implicit, so that a value can be passed as JSON. NOLINTBEGIN(google-explicit-constructor)
  Json(std::nullptr_t);
  Json(bool value);
  Json(double value);
  template <std::signed_integral T>
  Json(T value);
  Json(std::uint64_t value);
  Json(const char* text);
  Json(std::string_view text);
  Json(std::string text);
  template <class T>
  Json(const std::optional<T>& value);  // null if it is empty
  template <class T>
  Json(const std::vector<T>& items);
  Json(std::initializer_list<JsonMember> members);
  // NOLINTEND(google-explicit-constructor)

  static Json array();
  static Json object();

  // The member of that key, at the end if it is new; null becomes an object.
  Json& operator[](std::string_view key);
  void push_back(Json item);                     // to an array
  const Json* find(std::string_view key) const;  // in an object; null if there is none
  void merge(const Json& object);                // adds its members to an object

 private:
  friend class JsonWriter;
  using Array = std::vector<Json>;
  using Object = std::vector<JsonMember>;
  using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
                             Array, Object>;
  explicit Json(Value value);

  Value value_;
};

struct JsonMember {
  std::string key;
  Json value;
};

// The text has no final newline.
std::string json_text(const Json& value);
// The same value on one line of TOML, objects as inline tables; bytes that are not UTF-8 become U+FFFD.
std::string toml_text(const Json& value);

// An array with the value that `to_value` makes of each item.
template <class T, class ToValue>
Json json_list(const std::vector<T>& items, ToValue to_value) {
  Json out = Json::array();
  for (const T& item : items) out.push_back(to_value(item));
  return out;
}

// Parameters as an object. Texts become booleans, numbers or strings.
Json json_parameters(const std::vector<KeyValue>& parameters);

// ---- templates ----------------------------------------------------------------------------------

template <std::signed_integral T>
Json::Json(T value) : value_(static_cast<std::int64_t>(value)) {}

template <class T>
Json::Json(const std::optional<T>& value) {
  if (value) *this = Json(*value);
}

template <class T>
Json::Json(const std::vector<T>& items) : Json(Value(Array(items.begin(), items.end()))) {}

}  // namespace assay
