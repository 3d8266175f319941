// The input checks that mechanisms share.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

// Errors: an entry that is not finite; a number of entries other than `size`, or no entry if size is 0.
inline Status check_answers(std::span<const double> input, std::size_t size) {
  if (size == 0 ? input.empty() : input.size() != size) {
    return fail(ErrorCode::kInvalidArgument,
                "input must have " + (size == 0 ? "at least 1" : std::to_string(size)) +
                    (size > 1 ? " entries, not " : " entry, not ") + std::to_string(input.size()),
                "/input");
  }
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (!std::isfinite(input[i])) {
      const std::string place = std::to_string(i);
      return fail(ErrorCode::kInvalidArgument,
                  "input[" + place + "] must be finite, not " + number_text(input[i]),
                  "/input/" + place);
    }
  }
  return {};
}

// Errors: an input outside low..high.
inline Status check_integer(std::int64_t input, std::int64_t low, std::int64_t high) {
  if (input >= low && input <= high) return {};
  return fail(ErrorCode::kInvalidArgument,
              "input must be " + std::to_string(low) + " to " + std::to_string(high) + ", not " +
                  std::to_string(input),
              "/input");
}

}  // namespace assay::detail
