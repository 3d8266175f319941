// exp, log, log1p and expm1 with the same bits on every x86-64 machine and compiler.
//
// The C library's versions give other bits on CPUs with an FMA unit, so everything that reaches a report
// is computed by these. Special values follow IEEE 754. Accuracy: at most 1 ulp over the whole
// range, subnormals included (measured against MPFR: tests/unit/numerics/portable_math_test.cpp).
//
//   e^x       = 2^m 2^(j/128) e^r,  |r| <= log(2)/256                                          (1)
//   log x     = e log 2 - log c + log1p(r),  r = z c - 1, x = 2^e z, c about 1/z from a table  (2)
//   log1p(x)  = (2) for the unrounded sum 1 + x = u + v, whose low part v enters r             (3)
//   e^x - 1   = Taylor series for |x| < 1/8, else (1) with the 1 taken from the table value    (4)
//
// Reference: Tang, "Table-driven implementation of the exponential function" (ACM TOMS 15, 1989)
// and "... of the logarithm function" (ACM TOMS 16, 1990).
// Threads: pure functions. Cost: 5 to 12 ns each.
#pragma once

#include <cstdint>

namespace assay {

double portable_exp(double x);
double portable_log(double x);
double portable_log1p(double x);
double portable_expm1(double x);

// log(e^a + e^b) and log(e^a - e^b), a >= b; infinities allowed. -inf is the log of zero.
double log_add_exp(double a, double b);
double log_sub_exp(double a, double b);

namespace detail {

// e^(high + low) for a sum that no double holds, |low| <= 2^-10.
double exp_of_sum(double high, double low);

// log((k + 1/2) 2^-bits), bits = 63 or 64 and k < 2^bits: the logarithm of the midpoint of a random
// number k. Its relative error is small even if the midpoint rounds to 1 as a double.
double log_midpoint(std::uint64_t k, int bits);

}  // namespace detail
}  // namespace assay
