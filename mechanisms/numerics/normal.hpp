// The standard normal law: cdf, tail and quantiles, in linear and in log space.
//
// Never 1 - cdf: each tail has its own function. Relative error at most 1e-13 over all finite doubles,
// including where Phi itself underflows (x < -38.6), by the continued fraction of the Mills ratio.
// Same bits on every machine (built on portable_math).
#pragma once

namespace assay {

double normal_log_pdf(double x);   // -x^2/2 - log(2 pi)/2
double normal_cdf(double x);       // Phi(x); 0 where it underflows
double normal_ccdf(double x);      // 1 - Phi(x) = Phi(-x)
double normal_log_cdf(double x);   // log Phi(x)
double normal_log_ccdf(double x);  // log(1 - Phi(x))
double normal_hazard(double x);    // phi(x) / (1 - Phi(x)), the inverse Mills ratio; finite x

double normal_quantile(double p);            // Phi^{-1}(p), p in [0, 1]
double normal_ccdf_quantile(double q);       // x with 1 - Phi(x) = q
double normal_quantile_from_log(double lp);  // x with log Phi(x) = lp, lp in [-inf, 0]; any depth

}  // namespace assay
