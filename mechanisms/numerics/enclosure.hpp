// Interval arithmetic: each operation returns an interval that contains its exact result for every
// choice of exact arguments inside theirs.
//
// A formula that is written once with Enclosure gives both its upper and its lower bound, so nobody has to
// count roundings. It is for the few formulas that give certified bounds, not for inner loops. It does not
// undo cancellation: if the formula cancels, the interval is wide.
//
// Arithmetic is rounded by one double outward (numerics/rounding.hpp), the elementary functions,
// which are accurate to 1 ulp (numerics/portable_math.hpp), by two. An argument outside a domain
// opens that end to infinity: log of [0, x] starts at -inf. An operation without a value (inf -
// inf, 0 inf, division by an interval around 0) gives [-inf, inf], never NaN.
// Threads: values. Cost: 5 to 40 ns an operation.
#pragma once

namespace assay::detail {

struct Enclosure {
  double low = 0.0;
  double high = 0.0;

  constexpr Enclosure() = default;
  constexpr Enclosure(double exact) : low(exact), high(exact) {}  // NOLINT: numbers are points
  constexpr Enclosure(double lowest, double highest) : low(lowest), high(highest) {}
};

Enclosure operator+(Enclosure a, Enclosure b);
Enclosure operator-(Enclosure a, Enclosure b);
Enclosure operator*(Enclosure a, Enclosure b);
Enclosure operator/(Enclosure a, Enclosure b);
Enclosure operator-(Enclosure a);

Enclosure exp(Enclosure a);
Enclosure expm1(Enclosure a);
Enclosure log(Enclosure a);
Enclosure log1p(Enclosure a);
Enclosure sqrt(Enclosure a);
Enclosure sinh(Enclosure a);  // for a >= 0

}  // namespace assay::detail
