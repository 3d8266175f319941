// exp, log, log1p and expm1 with the same bits on every x86-64 machine and compiler.
//
// The C library's versions change bits with the CPU's FMA unit, so everything whose bits reach a
// report is built on these. Accuracy: at most 1 ulp over the whole range (tests/unit/
// portable_math_test.cpp measures it against MPFR). Special values follow IEEE 754.
#pragma once

namespace assay {

double portable_exp(double x);
double portable_log(double x);
double portable_log1p(double x);
double portable_expm1(double x);

// log(e^a + e^b) and log(e^a - e^b), a >= b; infinities allowed. -inf is the log of zero.
double log_add_exp(double a, double b);
double log_sub_exp(double a, double b);

}  // namespace assay
