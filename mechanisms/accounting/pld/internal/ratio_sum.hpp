// The sum of independent likelihood ratios x = dP/dR under R, between two distributions in the convex order.
//
// Sums are kept on the points 0 < lo < .. < hi as masses under R, in cells that are wider in log where little of what
// matters lies. With M the mass in a cell
// and W its moment about the point below,
//   upper   a spread: W/width of it goes to the point above, M - W/width to the point below     (4)
//   lower   a contraction: M goes to the mean of the cell, and beyond hi to the mean there      (5)
// Sums of independent terms keep the order, so that two sums add by all pairs of their points, then (4), (5); t ratios
// take 2 log2 t such additions. The upper side lacks what is beyond hi: for kRemove that counts as infinite loss,
// for kAdd, where functions of x decrease, it goes down to hi.
// Proofs: docs/proofs/random_allocation.md, where (1) to (3) are those of allocation_loss.hpp.
//
// Errors: all terms are positive, so errors are relative at every point, and masses are rounded outward. The true sums are
// the points times e^z, |z| <= loss_error.
// Threads: values. Cost: a few ns for each run of smaller points that a larger one brings into one cell.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

struct RatioPoint {
  double x;
  double mass;  // under R
};

struct RatioSum {
  std::vector<RatioPoint> lower;  // ascending
  std::vector<RatioPoint> upper;
  double infinite = 0.0;  // mass under P that the upper side of kRemove counts as infinite loss
  double loss_error = 0.0;
};

struct RatioPlan {
  std::int64_t count = 1;  // of ratios
  SamplingDirection direction = SamplingDirection::kRemove;
  std::int64_t cells = 1024;
  double negligible = 1e-10;  // mass that may be lost where it costs
  double share = 1e-7;        // of the mass, which may move where it costs little
  double delta = 1e-6;        // where the bounds are tight: the cells are chosen for it
  const std::atomic<bool>* cancel = nullptr;
};

// Masses of R and P over some outcomes, with a bound on the relative errors of both.
struct RatioMasses {
  double r = 0.0;
  double p = 0.0;
  double error = 0.0;
};
// Of the outcomes with x in [points[i], points[i + 1]), the last one without end. The points begin with 0 and rise; places
// of outcomes are right to a few u, while every outcome is in one cell.
std::vector<RatioMasses> masses_in_cells(const PrivacyLoss& base,
                                         const std::vector<double>& points);

// Errors: kLimit where log x leaves [-300, 300], kInterrupted.
Result<RatioSum> sum_of_ratios(const PrivacyLoss& base, const RatioPlan& plan);

}  // namespace assay::detail
