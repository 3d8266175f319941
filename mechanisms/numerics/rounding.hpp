// The next double up or down: what turns a correctly rounded operation into a directed one.
//
// The exact result of +, -, *, / and sqrt lies strictly between the neighbours of the rounded one,
// underflow included; an overflow to infinity stays infinite where that is the safe side.
// Threads: pure functions. Cost: 2 ns.
#pragma once

#include <cmath>
#include <limits>

namespace assay::detail {

inline double round_up(double x) {
  return std::nextafter(x, std::numeric_limits<double>::infinity());
}
inline double round_down(double x) {
  return std::nextafter(x, -std::numeric_limits<double>::infinity());
}

}  // namespace assay::detail
