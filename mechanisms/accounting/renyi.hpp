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
// A table of points gives a curve between their orders, since (alpha - 1) D_alpha is convex. Beyond the
// last order the curve is infinite, which guarantees nothing.                                   (6)
// The conversion to (eps, delta), at the best order:
//   delta = e^((alpha - 1)(D_alpha - eps)) (1 - 1/alpha)^(alpha - 1)/alpha                     (7)
//   eps   = D_alpha + log(1 - 1/alpha) - log(delta alpha)/(alpha - 1)                          (8)
// docs/proofs/renyi.md has the proofs, the references, and the conversions that are absent on purpose.
// Direction: upper bounds. Accuracy: at most 1e-12 (relative) above the closed forms (2) to (5). For e
// below 1e-4 the code uses (4) in place of (5), which is larger by a factor 1 + e/3.
// Threads: values; at() may be called concurrently. Cost: 1 us per order, 0.1 ms per conversion.
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
  // The curve of a mechanism that loses nothing: 0 at every order.
  RenyiDp();
  // The caller guarantees that function(order) bounds the divergence of that order from above, for
  // every order in (1, infinity); it may return infinity.
  explicit RenyiDp(std::function<double(double)> function);

  // An upper bound of D_order; infinite where the curve has none. Precondition: order > 1.
  UpperBound<Epsilon> at(double order) const;

 private:
  std::function<double(double)> function_;
};

Result<RenyiDp> to_renyi(const PureDp& level);              // (4)
Result<RenyiDp> to_renyi(const GaussianDp& level);          // (2)
Result<RenyiDp> to_renyi(const ZeroConcentratedDp& level);  // (3)
Result<RenyiDp> laplace_renyi(Epsilon ratio);               // (5), ratio = sensitivity/scale
// By (6). Errors: orders that do not increase from above 1, epsilons that are negative or not finite.
Result<RenyiDp> renyi_from_points(std::span<const RenyiPoint> points);

// The smallest delta over all orders, at most 1, by (7); and the smallest eps, at least 0, by (8). Errors: epsilon
// negative or not finite; delta outside (0, 1); a curve without a finite bound.
Result<UpperBound<Delta>> renyi_delta(const RenyiDp& curve, Epsilon epsilon);
Result<UpperBound<Epsilon>> renyi_epsilon(const RenyiDp& curve, Delta delta);

}  // namespace assay
