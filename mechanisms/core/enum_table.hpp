// A table of what belongs to each value of an enum (a name, a colour, a sentence), with one function
// that reads it. Names in files and options are tables as well: enum_names (configuration.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <utility>

namespace assay {

template <class Enum, class T, std::size_t n>
using EnumTable = std::array<std::pair<Enum, T>, n>;

// The entry of `value`, or `missing` if there is none.
template <class Enum, class T, std::size_t n>
constexpr T entry_of(const std::array<std::pair<Enum, T>, n>& table, Enum value, T missing = T{}) {
  for (const auto& [key, entry] : table) {
    if (key == value) return entry;
  }
  return missing;
}

}  // namespace assay
