// High-precision reference values for tests: elementary functions and the normal law by MPFR.
#pragma once

#include <mpfr.h>

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/mpfr.hpp>

#include "assay/tests/support/testing.hpp"
namespace assay::oracle {

template <unsigned kDigits>
using Digits = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<kDigits>,
                                             boost::multiprecision::et_off>;
using Real = Digits<50>;

inline constexpr double kMax = std::numeric_limits<double>::max();
inline constexpr double kTiny = std::numeric_limits<double>::denorm_min();

// |got - exact| in units in the last place of the double nearest to exact; subnormals count as
// multiples of the least positive double.
inline double ulp_error(double got, const Real& exact) {
  const double nearest = exact.convert_to<double>();
  if (!std::isfinite(nearest) || !std::isfinite(got)) {
    const bool same = got == nearest || (std::isnan(got) && std::isnan(nearest));
    return same ? 0.0 : std::numeric_limits<double>::infinity();
  }
  const int exponent = nearest == 0.0 ? -1074 : std::max(std::ilogb(nearest) - 52, -1074);
  return ldexp(abs(Real(got) - exact), -exponent).convert_to<double>();
}

// |got/exact - 1|; infinite where got is not finite.
inline double relative_error(double got, const Real& exact) {
  if (!std::isfinite(got)) return std::numeric_limits<double>::infinity();
  if (exact == 0) return got == 0.0 ? 0.0 : std::numeric_limits<double>::infinity();
  return abs((Real(got) - exact) / exact).convert_to<double>();
}

// By MPFR: that of Boost fills tables for its type before main(), in every process of a test.
template <class Number>
Number erfc(const Number& x) {
  Number value;
  mpfr_erfc(value.backend().data(), x.backend().data(), MPFR_RNDN);
  return value;
}

inline Real normal_density(const Real& x) {
  static const Real scale = 1 / sqrt(2 * boost::math::constants::pi<Real>());
  return scale * exp(-x * x / 2);
}

// Mills ratio beyond x = 16 by the divergent series of Abramowitz and Stegun 26.2.12, whose
// smallest term there is below e^(-128) = 1e-55.
inline Real asymptotic_mills_ratio(const Real& x) {
  const Real inverse_square = 1 / (x * x);
  Real term = 1;
  Real sum = 1;
  for (int k = 1; k <= 128 && abs(term) > Real("1e-52"); ++k) {
    term *= -(2 * k - 1) * inverse_square;
    sum += term;
  }
  return sum / x;
}

// Q(x) = 1 - Phi(x).
inline Real normal_tail(const Real& x) {
  if (x > 16) return asymptotic_mills_ratio(x) * normal_density(x);
  return erfc(Real(x / sqrt(Real(2)))) / 2;
}

inline Real normal_log_tail(const Real& x) {
  if (x > 16) {
    return log(asymptotic_mills_ratio(x)) - log(2 * boost::math::constants::pi<Real>()) / 2 -
           x * x / 2;
  }
  return x < 0 ? log1p(-normal_tail(-x)) : log(normal_tail(x));
}

}  // namespace assay::oracle
