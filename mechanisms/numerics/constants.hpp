// Constants that many sources use, each correctly rounded.
#pragma once

#include <limits>

namespace assay {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kUnitRoundoff = 0x1p-53;                 // of a double, to nearest
inline constexpr double kLog2 = 0x1.62e42fefa39efp-1;            // log 2
inline constexpr double kInverseSqrt2Pi = 0x1.9884533d43651p-2;  // 1/sqrt(2 pi)

}  // namespace assay
