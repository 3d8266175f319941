#include "assay/mechanisms/numerics/enclosure.hpp"

#include <algorithm>
#include <cmath>

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/mechanisms/numerics/rounding.hpp"

namespace assay::detail {
namespace {

// One double outward; an end without a value is open.
Enclosure outward(double low, double high) {
  return {std::isnan(low) ? -kInfinity : round_down(low),
          std::isnan(high) ? kInfinity : round_up(high)};
}

template <class Function>
Enclosure increasing(Enclosure a, Function function) {
  const Enclosure once = outward(function(a.low), function(a.high));
  return outward(once.low, once.high);
}

Enclosure of_corners(double a, double b, double c, double d) {
  if (std::isnan(a) || std::isnan(b) || std::isnan(c) || std::isnan(d)) {
    return {-kInfinity, kInfinity};
  }
  return outward(std::min({a, b, c, d}), std::max({a, b, c, d}));
}

}  // namespace

Enclosure operator+(Enclosure a, Enclosure b) { return outward(a.low + b.low, a.high + b.high); }
Enclosure operator-(Enclosure a, Enclosure b) { return outward(a.low - b.high, a.high - b.low); }
Enclosure operator-(Enclosure a) { return {-a.high, -a.low}; }

Enclosure operator*(Enclosure a, Enclosure b) {
  return of_corners(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high);
}

Enclosure operator/(Enclosure a, Enclosure b) {
  if (b.low <= 0.0 && b.high >= 0.0) return {-kInfinity, kInfinity};
  return of_corners(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high);
}

Enclosure exp(Enclosure a) {
  const Enclosure result = increasing(a, portable_exp);
  return {std::max(0.0, result.low), result.high};
}

Enclosure expm1(Enclosure a) {
  const Enclosure result = increasing(a, portable_expm1);
  return {std::max(-1.0, result.low), result.high};
}

Enclosure log(Enclosure a) { return increasing(a, portable_log); }
Enclosure log1p(Enclosure a) { return increasing(a, portable_log1p); }

Enclosure sqrt(Enclosure a) {
  const Enclosure result =
      outward(a.low > 0.0 ? std::sqrt(a.low) : 0.0, std::sqrt(std::max(0.0, a.high)));
  return {std::max(0.0, result.low), result.high};
}

// (e + e/(1 + e))/2 with e = expm1(a): both terms have the sign of a, so nothing cancels.
Enclosure sinh(Enclosure a) {
  const Enclosure e = expm1(a);
  return (e + e / (1.0 + e)) * 0.5;
}

}  // namespace assay::detail
