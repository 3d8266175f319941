// Linear algebra for the policies with features: the span of the active arms, Max-Det collections,
// G-optimal designs.
//
// Symbols: s vectors a_1..a_s in R^r that span it; B a collection of r of them, with the
// coordinates a_i = sum over j in B of alpha_ij a_j.
//   B is Max-Det if |det B| is the largest of all collections                                  (1)
//   exchanging j in B for i multiplies |det B| by |alpha_ij|, so that no exchange improves B if
//   and only if max |alpha_ij| <= 1; Lemma G.1 needs no more than this                         (2)
//   a design w, weights of sum 1, has V(w) = sum_i w_i a_i a_i^T, g_i(w) = a_i^T V(w)^-1 a_i;
//   max_i g_i >= r always, and = r if and only if w is G-optimal (Kiefer, Wolfowitz)            (3)
//   Caratheodory: r (r + 1)/2 vectors suffice for any V                                        (4)
// Both results have a certificate, computed afresh: max |alpha_ij| of (2), max_i g_i/r - 1 of (3).
// Neither is an enclosure: rounding is about 1e-15 times the condition of B or V.
//
// Reference: Chen, Karthik, Chee, Tan, "Fixed-Budget Differentially Private Best Arm
// Identification" (ICLR 2024), section 3 and Lemma G.1; Todd, "Minimum-Volume Ellipsoids" (2016),
// section 3, for the steps of the design.
// Threads: pure functions. The same bits on every machine: no product is blocked by cache size
// (r <= kMostDimension), and none is vectorised.
// Cost: s = 10,000, r = 16: Max-Det 20 ms, a design 2 s. s = 1000, r = 4: a design 1 ms.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/policies/linear/features.hpp"

namespace assay {

// The active arms in coordinates of an orthonormal basis of their span (QR with column pivots). The
// dimension of the result is their rank. If they span all of R^d, the coordinates stay as they are.
// Rank and basis are those of the directions a_i/||a_i||, whatever the arms' scales. A direction
// counts if its pivot is above 1e-10 of the largest. Precondition: no vector is 0.
ArmFeatures in_their_span(const ArmFeatures& features, std::span<const int> active);

struct MaxDetCollection {
  std::vector<int> members;  // r indices into the vectors, ascending
  std::vector<double>
      coordinates;          // alpha, vector by vector: [i * r + j], j in the order of members
  double largest = 0.0;     // max |alpha_ij|, the certificate
  bool is_maximum = false;  // (1) by search, not only (2)
};

// Exact, by branch and bound, if there are at most kMostCollections collections. Otherwise QR with
// column pivots, then exchanges until (2) holds. Precondition: the vectors span their space.
inline constexpr double kMostCollections = 10'000.0;
inline constexpr double kMaxDetTolerance = 1e-9;  // largest <= 1 + this
MaxDetCollection max_det_collection(const ArmFeatures& vectors);

struct GOptimalDesign {
  std::vector<double> weights;  // of each vector, of sum 1; at most r (r + 1)/2 are not 0, by (4)
  double gap = 0.0;             // max_i g_i/r - 1, the certificate
};

// Frank-Wolfe steps with away steps, from the Max-Det collection, until the gap is at most `gap` (or
// 100,000 steps). Weights below 1e-9 are then dropped. Precondition: the vectors span their space.
inline constexpr double kDesignGap = 1e-8;
GOptimalDesign g_optimal_design(const ArmFeatures& vectors, double gap = kDesignGap);

// Least squares from n_i pulls of each vector: row i of s x r is a_i^T (sum_j n_j a_j a_j^T)^-1.
// Precondition: the vectors with pulls span their space.
std::vector<double> least_squares(const ArmFeatures& vectors, std::span<const double> pulls);

}  // namespace assay
