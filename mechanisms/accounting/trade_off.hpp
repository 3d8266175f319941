// Trade-off curves (f-DP): convex, piecewise linear, with their direction in the type.
//
// T(P, Q)(x) is the least type II error of a test of P against Q whose type I error is at most x.
//   LowerBound<TradeOff>   f <= T: a guarantee, "f-DP". It implies upper bounds.
//   UpperBound<TradeOff>   T <= f: an attack. It implies lower bounds.
//
// A curve is a list of vertices (x_i, f(x_i)); it falls from x = 0 to (1, 0) and f <= 1 - x.
//   f-DP to a profile      delta(eps) = max_i 1 - f(x_i) - e^eps x_i       (convex conjugate)   (1)
//   a profile to f-DP      f(x) = max_j max(0, 1 - d_j - e^(e_j) x, e^(-e_j) (1 - d_j - x)),
//                          the curve of all of (e_j, d_j)-DP at once                            (2)
//   f-DP to GDP            mu = max_i |Phi^-1(x_i) - Phi^-1(1 - f(x_i))|                        (3)
//   events to a curve      the lower convex hull of their points (x, y): tests may be mixed     (4)
//
// A smooth curve is approximated by (2) at as many eps as the caller gives, since chords between
// points of a convex function would lie above it. The Gaussian has a closed form (gdp.hpp).
// Absent on purpose: composition. T(P1 x P2, Q1 x Q2) has no finite form; compose other levels.
//
// Accuracy: (1), (2) 1e-15 relative of 1; (3) 2e-13 of the quantiles.
// Proofs: docs/proofs/trade_off.md.
// Reference: Dong, Roth, Su, "Gaussian differential privacy" (JRSS B, 2022), propositions 2.4, 2.5
// and 2.12, and corollary 2.13.
// Threads: values. Cost: O(vertices) a query, O(n log n) to make.
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
  // Vertices in increasing type I error, from x = 0 to x = 1: convex, falling to 0, at most 1 - x.
  // (0, 1) and (1, 0) are added where x = 0 or x = 1 is missing.
  static Result<TradeOff> create(std::span<const TradeOffVertex> vertices);
  // 1 - x: the adversary learns nothing.
  TradeOff() : vertices_{{0.0, 1.0}, {1.0, 0.0}} {}

  std::span<const TradeOffVertex> vertices() const { return vertices_; }
  double lower_at(double type_one) const;  // the value at x in [0, 1], rounded down
  // The curve with the two inputs exchanged, f^-1: its vertices are mirrored.
  TradeOff inverse() const;
  friend bool operator==(const TradeOff&, const TradeOff&) = default;

 private:
  friend TradeOff lower_hull(std::vector<TradeOffVertex> points);
  std::vector<TradeOffVertex> vertices_;
};

// (1). For one order of the neighbours; a guarantee for both orders is symmetric, f = f^-1.
// Precondition: eps >= 0.
UpperBound<Delta> trade_off_delta(const LowerBound<TradeOff>& curve, Epsilon epsilon);
LowerBound<Delta> trade_off_delta(const UpperBound<TradeOff>& curve, Epsilon epsilon);

// (2). Errors: no level; an epsilon outside [0, 700], a delta outside [0, 1].
Result<LowerBound<TradeOff>> trade_off_from_profile(std::span<const ApproximateDp> levels);
Result<LowerBound<TradeOff>> trade_off_of(const PureDp& level);
Result<LowerBound<TradeOff>> trade_off_of(const ApproximateDp& level);

// (4). The points are certified: type_one an upper bound of the type I error of a test, type_two of
// its type II error. Errors: no point, or a coordinate outside [0, 1].
Result<UpperBound<TradeOff>> trade_off_from_tests(std::span<const TradeOffVertex> tests);

// (3). Errors: a test that is never wrong on one input (f(0) < 1), which no mu allows.
Result<UpperBound<Mu>> trade_off_mu(const LowerBound<TradeOff>& curve);
Result<LowerBound<Mu>> trade_off_mu(const UpperBound<TradeOff>& curve);

}  // namespace assay
