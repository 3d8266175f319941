// The law of report noisy max: log P(argmax_i q_i + Z_i = i), Z independent of one law, for all i.
//
//   P(i) = integral of f(x - q_i) prod over j != i of F(x - q_j) dx                            (1)
//   Gumbel        P(i) = e^(q_i/b)/sum_j e^(q_j/b)                                             (2)
//   Exponential   P(i) = w_i integral over t in [0, 1] of prod over j != i of (1 - t w_j) dt,
//                 w = e^((q - max q)/b): with t = e^(-(x - max q)/b)                           (3)
//   Laplace       between two neighbouring scores, with m scores above x,
//                 f prod F = e^(c x) prod over lower j of (1 - e^((q_j - x)/b)/2), c = m - 1 for a
//                 winner below x, m for one above                                              (4)
//   DiscreteLaplace  the sum of (1) over the integers. With q = n + phi, n = floor(q), i beats j
//                 at equal n + Z if phi_i is larger, or equal and i < j: one order for all x. So
//                 P(N_j < x) for those before i, P(N_j <= x) for those after, N = n + Z        (5)
//   Gaussian      (1) by the trapezoid rule, the nodes shared by all i; winners more than 20
//                 scales below the best by gaussian_argmax.hpp                                 (6)
//                 more than 2^26 below: at the peak x of the integrand, the mean of q_i and the c
//                 scores above x, in scales: -log P = (x - q_i)^2/2 + log(1 + c)/2 + sum over those
//                 of (q_j - x)^2/2 + log((q_j - x) sqrt(2 pi))                                 (7)
// Ties of integer noise go to the larger fraction (they are no ties), then to the first. A location
// of the noise is common to all and drops out.
//
// Accuracy: relative error of P at most 1e-13 + 2e-16 n + 3e-16 |log P|, at any depth (P = e^-1e6 is
// as good): terms are positive and products kept as logarithms between pieces. Proved but for the
// rounding, which is measured (tests/unit/release/noisy_max_law_test.cpp):
//   Every panel has the 16 nodes of a Gauss rule: of the lengths, or for (5) of the counting measure
//   on its integers. The rule is exact to degree 31, so its error is at most 4 (mass of the panel)
//   M rho^-32/(1 - 1/rho), M the maximum in the ellipse rho, which lies within R = a (rho + 1/rho)/2
//   of the centre, a half the width.
//   (3): |prod (1 - z w)| <= e^(-(c - R) V), V the sum of w; panels of 8/V and rho = 8 give 1e-20
//   of the integral, which is at least 1/(1 + V) as 1 - t w >= (1 - t)^w.
//   (4), (5), x in units of b: |prod (1 - y e^-z)| <= e^(-Y (2 - e^R)), Y the sum of the y at the
//   centre; panels of 1/4 where Y > 4, 1 where Y > 1/2, else 2, and never above 6/m, give 2e-15 of
//   the whole with rho = 6, 4, 4. P(i) >= a w_i/((1 + a)(1 + V)), a = 1 or e^(-1/b), bounds what is
//   left out: x where Y or the product over higher scores is below e^-45 of that. Where Y < 2^-64
//   the integrand is an exponential, integrated in closed form.
//   (6): see gaussian_argmax.hpp (3); the step is 0.715 s/sqrt(n).
//   (7): |log P| is above 1e15; its error is below 1e-15 (n + 3) |log P|, and -inf stands for what
//   is more than 1e150 scales deep.
// Reference: Dwork, Roth (2014), section 3.3; (3) is McKenna, Sheldon (NeurIPS 2020) by Ding et al.
// (2021). Error of Gauss rules: Trefethen, SIAM Review 50 (2008), theorem 4.5.
// Threads: pure. Same bits on every machine. Cost: O(n) per node, equal scores once where the law
// allows. Nodes: (3) 100; (4), (5) at most 600 plus 16 to 600 for each of at most 75 kinks that
// matter; (6) about 15 sqrt(n).
#pragma once

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "assay/mechanisms/noise/discrete_laplace.hpp"
#include "assay/mechanisms/noise/exponential.hpp"
#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/noise/gumbel.hpp"
#include "assay/mechanisms/noise/laplace.hpp"

namespace assay {

using MaxNoiseLaw = std::variant<Laplace, Exponential, Gumbel, Gaussian, DiscreteLaplace>;

// Preconditions: at least one score, all finite. A probability that rounds to 1 has logarithm 0.
std::vector<double> noisy_max_log_probabilities(const MaxNoiseLaw& noise,
                                                std::span<const double> scores);

// Entry `index` of the above, at its cost but for Gaussian noise.
double noisy_max_log_probability(const MaxNoiseLaw& noise, std::span<const double> scores,
                                 std::size_t index);

}  // namespace assay
