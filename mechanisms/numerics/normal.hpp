// The standard normal distribution: cdf, tail and quantiles, in linear and in log space.
//
// It never computes 1 - cdf: each tail has its own function. Relative error of every cdf and log cdf at most
// 1e-13 over all finite doubles (measured against 100-digit arithmetic: a few ulp), including where
// Phi itself underflows (x < -38.5). Out of range arguments give NaN.
//
//   Q(x) = R(x) phi(x), R the Mills ratio; R(x) = G(t)/(x + 4), t = 4/(x + 4), x >= 0        (1)
//   log Q(x) = -x^2/2 + log(R(x)/sqrt(2 pi)), x >= 0;  log1p(-Q(-x)), x < 0                  (2)
//   Q^{-1}(1/2 - d) = d C(d^2), |d| <= 1/4                                                   (3)
//   else Halley's step on g(x) = log Q(x) - log q:  x + g R/(1 + g (1 - x R)/2)              (4)
//
// G and C are polynomials from make_normal_tables.py: G by cells of t, so that the same code serves
// x = 0 and x = 1e308. phi takes the square of x as a sum of two doubles.
//
// Reference: Abramowitz and Stegun 26.2 (Mills ratio, asymptotics). Threads: pure functions.
// Cost: 15 to 30 ns for the cdfs, 20 to 150 ns for the quantiles. Same bits on every machine.
#pragma once

namespace assay {

double normal_log_pdf(double x);   // -x^2/2 - log(2 pi)/2
double normal_cdf(double x);       // Phi(x); 0 where it underflows
double normal_ccdf(double x);      // 1 - Phi(x) = Phi(-x)
double normal_log_cdf(double x);   // log Phi(x)
double normal_log_ccdf(double x);  // log(1 - Phi(x))
double normal_hazard(double x);    // phi(x) / (1 - Phi(x)), the inverse Mills ratio; finite x

double normal_quantile(double p);       // Phi^{-1}(p), p in [0, 1]
double normal_ccdf_quantile(double q);  // x with 1 - Phi(x) = q
double normal_quantile_from_log(
    double lp);  // x with log Phi(x) = lp, lp in [-inf, 0], however small

}  // namespace assay
