// Renyi differential privacy (RDP): a curve from orders alpha > 1 to upper bounds of the Renyi
// divergence D_alpha between the output distributions on two neighbours, in either order.
//
//   D_alpha(P || Q) = log E_Q[(dP/dQ)^alpha]/(alpha - 1)                                       (1)
//
// Closed forms, each the exact divergence of the mechanism named, rounded up:
//   mu-GDP (Gaussian)   D_alpha = alpha mu^2/2                                                 (2)
//   rho-zCDP            D_alpha <= rho alpha, by definition                                    (3)
//   eps-DP, attained by randomised response with odds e^eps:
//     D_alpha = log(1 + 2 sinh(alpha eps/2) sinh((alpha - 1) eps/2)/cosh(eps/2))/(alpha - 1)   (4)
//   Laplace noise of scale b, sensitivity Delta, with e = Delta/b:
//     D_alpha = log(1 + [alpha (e^((alpha-1) e) - 1) - (alpha-1) (1 - e^(-alpha e))]
//                       / (2 alpha - 1))/(alpha - 1)                                           (5)
// Between the orders of a table of points the curve follows from the convexity of
// (alpha - 1) D_alpha; beyond the last order it guarantees nothing (infinity).                  (6)
// To (eps, delta), at the best order:
//   delta = e^((alpha - 1)(D_alpha - eps)) (1 - 1/alpha)^(alpha - 1)/alpha                     (7)
//   eps   = D_alpha + log(1 - 1/alpha) - log(delta alpha)/(alpha - 1)                          (8)
// Proofs, references, and the conversions that are absent on purpose: docs/proofs/renyi.md.
// Direction: upper bounds. Accuracy: 1e-12 relative above the closed forms (2) to (5); (5) for e
// below 1e-4 falls back on (4), which is above it by a factor 1 + e/3.
// Threads: values; at() may be called concurrently. Cost: 1 us an order, 0.1 ms a conversion.
#pragma once

#include <functional>
#include <span>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct RenyiPoint {
  double order = 2.0;
  Epsilon epsilon;
};

class RenyiDp {
 public:
  // No loss at any order.
  RenyiDp();
  // The caller guarantees that function(order) bounds the divergence of that order from above, for
  // every order in (1, infinity); it may return infinity.
  explicit RenyiDp(std::function<double(double)> function);

  // Upper bound of D_order; infinite where the curve has none. Precondition: order > 1.
  UpperBound<Epsilon> at(double order) const;

 private:
  std::function<double(double)> function_;
};

Result<RenyiDp> to_renyi(const PureDp& level);              // (4)
Result<RenyiDp> to_renyi(const GaussianDp& level);          // (2)
Result<RenyiDp> to_renyi(const ZeroConcentratedDp& level);  // (3)
Result<RenyiDp> laplace_renyi(Epsilon ratio);               // (5), ratio = sensitivity/scale
// (6). Orders above 1 and increasing, epsilons finite and at least 0.
Result<RenyiDp> renyi_from_points(std::span<const RenyiPoint> points);

// (7): the smallest delta over orders, at most 1. (8): the smallest eps, at least 0.
// Errors: epsilon not finite or negative; delta outside (0, 1); a curve without a finite bound.
Result<UpperBound<Delta>> renyi_delta(const RenyiDp& curve, Epsilon epsilon);
Result<UpperBound<Epsilon>> renyi_epsilon(const RenyiDp& curve, Delta delta);

}  // namespace assay
