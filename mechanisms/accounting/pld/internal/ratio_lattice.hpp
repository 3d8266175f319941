// Sums of independent likelihood ratios x = dP/dR on a lattice, between two bounds in the convex order.
//
// Under R the masses at the multiples of the step are, for the upper side, those of a mean-preserving spread of x (each
// mass goes to the two ends of its cell), and for the lower one those of a contraction (masses are joined to
// groups whose means are multiples of the step). Sums of independent terms keep the order: for convex f, E f of the lower sum
// <= E f(x_1 + .. + x_t) <= E f of the upper one, where f increases (kRemove) or decreases (kAdd); what is rounded or cut
// off is moved so that it holds for those. Proofs: docs/proofs/random_allocation.md.
//
// Errors: masses are rounded outward; the true sums are the lattice's times e^z, |z| <= loss_error.
// Threads: values. Cost: 0.5 us a cell of x, and 0.2 us a point of the sum for each tilt.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/accounting/pld/internal/tilted_pld.hpp"
#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay::detail {

// A part of the outcomes on which x varies little.
struct RatioLayer {
  double largest_loss;  // log of the largest x
  double r;             // masses of R and of P; their ratio is the mean of x
  double p;
};

// By increasing loss. Estimates, to about 1e-10.
std::vector<RatioLayer> ratio_layers(const PrivacyLoss& base);

// x is cut off above e^log_largest, which has the masses r_above under R and, with what lies outside R, p_above under P.
struct RatioCut {
  double log_largest = 0.0;
  double r_above = 0.0;
  double p_above = 0.0;
};
// The lowest cut with repeats r_above + p_above, or for kAdd repeats r_above, of at most `most`.
RatioCut cut_of(const PrivacyLoss& base, const std::vector<RatioLayer>& layers, double repeats,
                double most, SamplingDirection direction);

struct RatioLattice {
  double step = 0.0;
  std::vector<double> lower;  // masses at i step, i from 0
  std::vector<double> upper;
  double loss_error = 0.0;
};
RatioLattice ratio_lattice(const PrivacyLoss& base, const RatioCut& cut, double step,
                           SamplingDirection direction);

// log E e^(slope x) and its derivative, of x below the cut: an estimate from the layers.
struct LogMoment {
  double value;
  double mean;
  double variance;  // of x, tilted
};
LogMoment log_moment(std::span<const RatioLayer> layers, double log_largest, double slope);

// Where the sum of `count` ratios may lie: outside, each tilted measure has at most e^-40 at either end.
struct SumRange {
  double low = 0.0;
  double high = 0.0;
};

struct RatioSum {
  std::int64_t first = 0;  // the sums are (first + i) step
  std::vector<double> lower;
  std::vector<double> upper;
  double below = 0.0;  // upper bounds on the masses under R outside
  double above = 0.0;
};

// The tilts choose where the errors of the transform are small: at tilt z they are relative to e^(-z x).
Result<RatioSum> sum_of(const RatioLattice& lattice, std::int64_t count,
                        std::span<const double> tilts, std::span<const double> slopes,
                        FftPlans& plans, std::int64_t max_points, const std::atomic<bool>* cancel);

// The range by the estimates, for the same tilts and slopes.
SumRange range_of(std::span<const RatioLayer> layers, double log_largest, std::int64_t count,
                  std::span<const double> tilts, std::span<const double> slopes);

}  // namespace assay::detail
