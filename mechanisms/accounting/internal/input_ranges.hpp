// The range checks that accounting shares. Every message names the field and its allowed range.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

inline Status out_of_range(const std::string& field, const std::string& range,
                           const std::string& value) {
  return fail(ErrorCode::kInvalidArgument, field + " must be " + range + ", not " + value,
              "/" + field);
}

inline Status check_within(const char* field, double value, double low, double high) {
  if (value >= low && value <= high) return {};
  return out_of_range(field, "in [" + number_text(low) + ", " + number_text(high) + "]",
                      number_text(value));
}

inline Status check_non_negative(const std::string& field, double value) {
  if (value >= 0.0 && std::isfinite(value)) return {};
  return out_of_range(field, "finite and at least 0", number_text(value));
}

inline Status check_positive(const std::string& field, double value) {
  if (value > 0.0 && std::isfinite(value)) return {};
  return out_of_range(field, "finite and above 0", number_text(value));
}

// A delta of a guarantee. A delta of 1 would guarantee nothing.
inline Status check_delta(const std::string& field, double value) {
  if (value >= 0.0 && value < 1.0) return {};
  return out_of_range(field, "in [0, 1)", number_text(value));
}

inline Status check_open_delta(const std::string& field, double value) {
  if (value > 0.0 && value < 1.0) return {};
  return out_of_range(field, "in (0, 1)", number_text(value));
}

inline Status check_count(const std::string& field, std::int64_t value, std::int64_t most) {
  if (value >= 1 && value <= most) return {};
  return out_of_range(field, "1 to " + std::to_string(most), std::to_string(value));
}

// The first error of several checks, if there is one.
template <class... More>
Status first_failure(Status first, More... more) {
  if constexpr (sizeof...(more) > 0) {
    if (first) return first_failure(std::move(more)...);
  }
  return first;
}

}  // namespace assay::detail
