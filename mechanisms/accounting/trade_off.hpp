// Trade-off curves (f-DP): convex, piecewise linear functions. Their type says whether they are a guarantee
// (a lower bound) or an attack (an upper bound).
//
// T(P, Q)(x) is the least type II error of a test of P against Q whose type I error is at most x.
//   LowerBound<TradeOff>   f <= T: a guarantee, "f-DP". It implies upper bounds.
//   UpperBound<TradeOff>   T <= f: an attack. It implies lower bounds.
//
// A curve is a list of vertices (x_i, f(x_i)); it falls from x = 0 to (1, 0) and f <= 1 - x.
//   f-DP to a profile      delta(eps) = max_i 1 - f(x_i) - e^eps x_i       (convex conjugate)   (1)
//   a profile to f-DP      f(x) = max_j max(0, 1 - d_j - e^(e_j) x, e^(-e_j) (1 - d_j - x)),
//                          if (e_j, d_j)-DP holds for every j                                   (2)
//   f-DP to GDP            mu = max_i |Phi^-1(x_i) - Phi^-1(1 - f(x_i))|                        (3)
//   tests to a curve       the lower convex hull of their errors (x, y), since tests can be mixed (4)
//
// (2) approximates a smooth curve from below, at as many eps as the caller gives. Chords between points
// of a convex function would lie above it. The Gaussian has a closed form (gdp.hpp). Composition is
// absent on purpose: T(P1 x P2, Q1 x Q2) has no finite form, so compose other levels.
//
// Accuracy: (1) and (2) are within 1e-15; (3) within 2e-13 of the quantiles. docs/proofs/trade_off.md has
// the proofs.
// Reference: Dong, Roth, Su, "Gaussian differential privacy" (JRSS B, 2022), propositions 2.4, 2.5
// and 2.12, and corollary 2.13.
// Threads: values. Cost: O(vertices) per query, O(n log n) to create.
#pragma once

#include <span>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

struct TradeOffVertex {
  double type_one = 0.0;
  double type_two = 1.0;
  friend bool operator==(const TradeOffVertex&, const TradeOffVertex&) = default;
};

class TradeOff {
 public:
  // Vertices in increasing type I error x in [0, 1]. If x = 0 or x = 1 is missing, (0, 1) or (1, 0) is added.
  // Errors: vertices that are not convex, do not fall to 0, or lie above 1 - x.
  static Result<TradeOff> create(std::span<const TradeOffVertex> vertices);
  // The curve 1 - x, on which the adversary learns nothing.
  TradeOff() : vertices_{{0.0, 1.0}, {1.0, 0.0}} {}

  std::span<const TradeOffVertex> vertices() const { return vertices_; }
  double lower_at(double type_one) const;  // the value at x in [0, 1], rounded down
  // The curve f^-1, which exchanges the two inputs.
  TradeOff inverse() const;
  friend bool operator==(const TradeOff&, const TradeOff&) = default;

 private:
  friend TradeOff lower_hull(std::vector<TradeOffVertex> points);
  std::vector<TradeOffVertex> vertices_;
};

// By (1), for one order of the neighbours. (A guarantee for both orders is symmetric: f = f^-1.)
// Precondition: eps >= 0.
UpperBound<Delta> trade_off_delta(const LowerBound<TradeOff>& curve, Epsilon epsilon);
LowerBound<Delta> trade_off_delta(const UpperBound<TradeOff>& curve, Epsilon epsilon);

// By (2). Errors: no level; an epsilon outside [0, 700], a delta outside [0, 1].
Result<LowerBound<TradeOff>> trade_off_from_profile(std::span<const ApproximateDp> levels);
Result<LowerBound<TradeOff>> trade_off_of(const PureDp& level);
Result<LowerBound<TradeOff>> trade_off_of(const ApproximateDp& level);

// By (4). For each test the caller has certified that type_one and type_two are upper bounds of its errors. Errors: no
// test, or a coordinate outside [0, 1].
Result<UpperBound<TradeOff>> trade_off_from_tests(std::span<const TradeOffVertex> tests);

// By (3). Errors: a test that is never wrong on one input (f(0) < 1), which no mu allows.
Result<UpperBound<Mu>> trade_off_mu(const LowerBound<TradeOff>& curve);
Result<LowerBound<Mu>> trade_off_mu(const UpperBound<TradeOff>& curve);

}  // namespace assay
