// Constants that the scalar and the wide form of the logarithm share.
#pragma once

#include <cstdint>

namespace assay::detail {

// log(2) in two parts; the first is a multiple of 2^-42, so that products with exponents are exact.
inline constexpr double kLog2High = 0x1.62e42fefa38p-1;
inline constexpr double kLog2Low = 0x1.ef35793c7673p-45;

// The bits of 0.70703125, where cell 0 of the table begins.
inline constexpr std::uint64_t kLogOffset = 0x3FE6A00000000000u;

}  // namespace assay::detail
