// Finds the smallest double in [0, inf] at which a monotone condition holds.
//
// It bisects over the bits, which order the non-negative doubles, with at most 64 evaluations and no
// tolerance. The condition is true at the result, and false at the double before it (unless the result is
// 0). Infinity counts as satisfying the condition.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace assay::detail {

template <class Condition>
double smallest_double(const Condition& holds) {
  if (holds(0.0)) return 0.0;
  std::uint64_t fails = 0;
  auto works = std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity());
  while (works - fails > 1) {
    const std::uint64_t middle = fails + (works - fails) / 2;
    (holds(std::bit_cast<double>(middle)) ? works : fails) = middle;
  }
  return std::bit_cast<double>(works);
}

}  // namespace assay::detail
