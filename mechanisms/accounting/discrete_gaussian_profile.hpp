// Computes the exact delta of one integer that is released with discrete Gaussian noise, rounded up.
//
//   delta(eps) = P(Y > eps s^2/m - m/2) - e^eps P(Y > eps s^2/m + m/2)                         (1)
// where Y is discrete Gaussian of scale s and answers move by at most m. No smaller delta holds.
//
// For a large scale the code bounds the tail instead of summing it. The sum of f(x) = e^(-x^2/(2 s^2)) over
// the integers is s sqrt(2 pi) to e^(-2 pi^2 s^2) of itself (Poisson summation), and
//   |sum over j >= k of f(j) - integral from k - 1/2 of f| <= (1/8) integral from k - 1/2 of |f''| (2)
// cell by cell (the kernel of the midpoint rule is at most 1/8), so with z = (k - 1/2)/s
//   |P(Y >= k) - Phi(-z)| <= w(z)/(8 s^2),  w(z) = z phi(z) for z >= 1, 4 phi(1) below          (3)
//
// Direction: upper bounds; the second function gives both bounds. Accuracy: 3e-12 of the first tail, and
// (3) if s >= 2^13.
// Reference: Canonne, Kamath, Steinke, "The discrete Gaussian for differential privacy" (NeurIPS
// 2020), theorem 7, for (1). Threads: pure functions. Cost: 1 us by (3), else 24 s terms of 10 ns.
#pragma once

#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/noise/discrete_gaussian.hpp"

namespace assay {

// Precondition: shift a whole number in [1, 2^52], epsilon >= 0 and finite.
UpperBound<Delta> discrete_gaussian_delta(const DiscreteGaussian& noise, double shift,
                                          Epsilon epsilon);

Interval<Delta> discrete_gaussian_delta_between(const DiscreteGaussian& noise, double shift,
                                                Epsilon epsilon);

}  // namespace assay
