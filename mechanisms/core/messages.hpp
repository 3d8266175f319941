// Writes lists and ranges for messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>

#include "assay/mechanisms/core/result.hpp"

namespace assay {

// "a, b, c": the result of `text` (a member or a function) for each item, with commas between.
template <class Items, class Text = std::identity>
std::string joined(const Items& items, const Text& text = {}) {
  std::string out;
  for (const auto& item : items) {
    if (!out.empty()) out += ", ";
    out += std::invoke(text, item);
  }
  return out;
}

// "a, b or c", made in the same way.
template <class Items, class Text = std::identity>
std::string either(const Items& items, const Text& text = {}) {
  std::string out;
  std::size_t left = std::size(items);
  for (const auto& item : items) {
    if (!out.empty()) out += left == 1 ? " or " : ", ";
    out += std::invoke(text, item);
    --left;
  }
  return out;
}

// Errors: a value out of range: "samples must be 1 to 10, not 11". The error's path is the name.
inline Status check_whole(const std::string& name, std::int64_t value, std::int64_t least,
                          std::int64_t most) {
  if (value >= least && value <= most) return {};
  return fail(ErrorCode::kInvalidArgument,
              name + " must be " + std::to_string(least) + " to " + std::to_string(most) +
                  ", not " + std::to_string(value),
              "/" + name);
}

}  // namespace assay
