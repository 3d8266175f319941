// Computes certified bounds on (eps, delta) of a composition, from the loss and the number of uses of each
// mechanism.
//
//   auto loss = loss_of::gaussian(10.0);
//   auto eps = pld_epsilon(std::vector{PldTerm{*loss, 10000}}, Delta{1e-5});
//   // eps->lower and eps->upper: 91.81727 and 91.81734
//
// Privacy: the terms' pairs must dominate the neighbours of their mechanisms. Then, for adaptive
// composition too, delta of the composition is at most delta of the product of the pairs. Both bounds are
// bounds on that product, so no analysis of these pairs can go below the lower one. They hold with
// certainty (there is no confidence level), since they include all errors.
//
// docs/proofs/pld_composition.md has the steps, with the tilt from (1) and the grid from (2), and the
// references. If the result is too wide, finer grids follow until `attempts` or
// 2^23 points of transforms are spent, or a finer grid gains little. If a grid needs more than
// max_points, coarser ones follow: the interval is then wider than requested, and still correct.
// For 16 terms or more it aims at no width below 2e-4 of eps itself.
//
// Errors: /terms empty, /terms/i/count outside 1..1e9, /delta outside (0, 1) or below e^-600,
// /epsilon negative, infinite or NaN, a width not positive; kLimit where max_points do not suffice
// on any grid; kInterrupted.
// Threads: pure functions. Cost: 20 to 50 ms at 1e4 compositions and a width of 1e-4.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "assay/mechanisms/accounting/pld/composed_pld.hpp"
#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"
#include "assay/mechanisms/core/quantities.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/core/shared_progress.hpp"

namespace assay {

struct PldTerm {
  PrivacyLoss loss;
  std::int64_t count = 1;
};

// From so many unlike terms on a composition takes seconds.
inline constexpr std::size_t kManyTerms = 512;

struct PldOptions {
  double epsilon_width = 1e-4;         // of eps at a delta, absolute
  double relative_width = 1.0;         // and of eps itself, which alone suffices after 2^19 points
  double least_relative_width = 1e-7;  // no width below that share of eps is aimed at
  double delta_relative_width = 1e-3;  // of delta at an eps: upper/lower - 1
  std::int64_t max_points = std::int64_t{1} << 22;  // of a grid
  int attempts = 4;
  const std::atomic<bool>* cancel = nullptr;  // polled between transforms: kInterrupted
  // For kManyTerms and more:
  int threads = 1;                     // decide no number
  SharedProgress* progress = nullptr;  // gets `part` for a composition, a little at a time
  double part = 1.0;
};

// The composition, tight around the eps of this delta, or around this eps.
Result<ComposedPld> compose_near(std::span<const PldTerm> terms, Delta delta,
                                 const PldOptions& options = {});
Result<ComposedPld> compose_near(std::span<const PldTerm> terms, Epsilon eps,
                                 const PldOptions& options = {});

Result<Interval<Epsilon>> pld_epsilon(std::span<const PldTerm> terms, Delta delta,
                                      const PldOptions& options = {});
Result<Interval<Delta>> pld_delta(std::span<const PldTerm> terms, Epsilon eps,
                                  const PldOptions& options = {});

}  // namespace assay
