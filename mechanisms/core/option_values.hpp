// The value of an option: read from arguments, and written as arguments. See options.hpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct OptionRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::string_view unit = "";
};
constexpr OptionRange at_least(double low) { return {.low = low}; }

// A number that keeps the text from which it was read.
struct Number {
  double value = 0.0;
  std::string spelling = {};

  std::string text() const { return spelling.empty() ? number_text(value) : spelling; }
};

// Splits arguments "key=value". Errors: another form, or a key that appears twice.
Result<std::vector<KeyValue>> split_parameters(const std::vector<std::string>& words);

namespace detail {

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// The type of one value: for a list or an optional, the type of its element.
template <class T>
struct ValueType {
  using Type = T;
};
template <class T>
requires kIsList<T> || kIsOptional<T>
struct ValueType<T> {
  using Type = typename T::value_type;
};
template <class T>
using ValueOf = typename ValueType<T>::Type;

// "1 to 4096", "at least 0.1 seconds"; empty if every number is allowed.
std::string range_text(const OptionRange& range, bool is_whole);
Status check_range(const OptionRange& range, double value, bool is_whole, std::string_view word);

// Reads one value from one argument. Errors do not name the option.
template <class T>
Status read_word(const OptionRange& range, std::string_view word, T& out) {
  if constexpr (std::same_as<T, std::string>) {
    out = word;
  } else if constexpr (std::same_as<T, Number>) {
    ASSAY_TRY(read_word(range, word, out.value));
    out.spelling = word;
  } else if constexpr (std::is_same_v<T, bool> || std::is_enum_v<T> || std::is_same_v<T, double>) {
    const T value = ASSAY_TRY(read_value<T>(word));
    if constexpr (std::is_same_v<T, double>) ASSAY_TRY(check_range(range, value, false, word));
    out = value;
  } else {
    static_assert(std::integral<T>);
    const std::int64_t value = ASSAY_TRY(parse_integer(word));
    ASSAY_TRY(check_range(range, static_cast<double>(value), true, word));
    out = static_cast<T>(value);
  }
  return {};
}

template <class T>
Status read_words(const OptionRange& range, const std::vector<std::string>& words, T& out) {
  if constexpr (std::same_as<T, std::vector<KeyValue>>) {
    out = ASSAY_TRY(split_parameters(words));
  } else if constexpr (kIsList<T>) {
    T values;
    for (const auto& word : words) {
      ASSAY_TRY(read_word(range, word, values.emplace_back()));
    }
    out = std::move(values);
  } else if constexpr (kIsOptional<T>) {
    typename T::value_type value{};
    ASSAY_TRY(read_word(range, words.back(), value));
    out = std::move(value);
  } else {
    ASSAY_TRY(read_word(range, words.back(), out));
  }
  return {};
}

template <class T>
void add_words(const T& value, std::vector<std::string>& out) {
  if constexpr (kIsList<T>) {
    for (const auto& one : value) add_words(one, out);
  } else if constexpr (kIsOptional<T>) {
    if constexpr (std::is_same_v<T, std::optional<bool>>) {
      if (value) out.push_back(value_text(*value));
    } else if (value) {
      add_words(*value, out);
    }
  } else if constexpr (std::same_as<T, KeyValue>) {
    out.push_back(value.key + "=" + value.value);
  } else if constexpr (std::same_as<T, std::string>) {
    if (!value.empty()) out.push_back(value);
  } else if constexpr (std::same_as<T, Number>) {
    out.push_back(value.text());
  } else if constexpr (std::same_as<T, bool>) {
    if (value) out.emplace_back("true");
  } else if constexpr (std::integral<T>) {
    out.push_back(std::to_string(value));
  } else {
    out.push_back(value_text(value));
  }
}

}  // namespace detail
}  // namespace assay
