// The errors of noise with a known distribution: the root mean square and the mean absolute value, in closed form.
//
//   discrete Laplace of scale t, x = 1/t: E Z^2 = 1/(2 sinh(x/2)^2),  E|Z| = 1/sinh(x)         (1)
//   discrete Gaussian of scale s: sums over the integers; from s = 64 on by Euler and Maclaurin
//     E Z^2 = s^2,  E|Z| = 2 (s^2 - 1/12 - 1/(240 s^2))/(s sqrt(2 pi))                          (2)
//   Laplace of scale b, rounded to the multiples of `step` and less the answer q: sums of
//     P(y = k step) = F((k + 1/2) step - q) - F((k - 1/2) step - q)                             (3)
// Accuracy: 1e-10 relative. Threads: pure functions.
#pragma once

namespace assay::detail {

struct NoiseErrors {
  double root_mean_square = 0.0;
  double mean_size = 0.0;
  NoiseErrors scaled(double by) const { return {by * root_mean_square, by * mean_size}; }
};

NoiseErrors discrete_laplace_errors(double scale);                             // (1)
NoiseErrors discrete_gaussian_errors(double scale);                            // (2)
NoiseErrors snapped_laplace_errors(double scale, double step, double answer);  // (3)

}  // namespace assay::detail
