// What several releases promise together, and what a release promises to a group.
//
// Sequential and adaptive: each release may read all the data and the outputs before it, and be
// chosen by them, at levels that are fixed in advance (for levels chosen on the way: filters.hpp).
//   pure      eps = sum eps_i                                                                  (1)
//   approx.   eps = sum eps_i,  delta = 1 - product (1 - delta_i)                              (2)
//   GDP       mu^2 = sum mu_i^2        zCDP  rho = sum rho_i        RDP  sum at every order    (3)
// (2) is basic composition; advanced_composition.hpp and optimal_composition.hpp spend less eps.
//
// Parallel: each release reads its own part of the data.
//   kByPosition   which record is in which part does not depend on its value. A changed record
//                 changes one part: the largest level.                                         (4)
//   kByValue      the value says which part. Replacing a record takes it from one part and adds it
//                 to another: the two largest levels, composed, each being a level for adding or
//                 removing one record of its part.                                             (5)
//
// A group of k records, k replacements one after another:
//   pure k eps;  approx. (k eps, delta (e^(k eps) - 1)/(e^eps - 1));  GDP k mu;  zCDP k^2 rho  (6)
//   RDP, k <= 2^c: D'_alpha <= 3^c D_(2^c alpha) for alpha >= 2, and D'_alpha <= D'_2 below    (7)
//
// References, and a common mistake about (4): docs/proofs/composition.md.
// Direction: rounded up. Levels have to be finite; a sum that overflows is an error, and so is a
// chain that contradicts itself: other relations, other views, or GDP beside (eps, delta > 0),
// which have no common type until somebody picks a delta.
// Threads: pure functions. Cost: O(levels).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// (1) to (3). Nothing composed with nothing loses nothing.
Result<PureDp> compose(std::span<const PureDp> levels);
Result<ApproximateDp> compose(std::span<const ApproximateDp> levels);
Result<GaussianDp> compose(std::span<const GaussianDp> levels);
Result<ZeroConcentratedDp> compose(std::span<const ZeroConcentratedDp> levels);
RenyiDp compose(std::span<const RenyiDp> curves);

// The same level `count` times.
Result<PureDp> compose_repeated(const PureDp& level, std::int64_t count);
Result<ApproximateDp> compose_repeated(const ApproximateDp& level, std::int64_t count);
Result<GaussianDp> compose_repeated(const GaussianDp& level, std::int64_t count);
Result<ZeroConcentratedDp> compose_repeated(const ZeroConcentratedDp& level, std::int64_t count);
Result<RenyiDp> compose_repeated(const RenyiDp& curve, std::int64_t count);

enum class Partition { kByPosition, kByValue };
// (4), (5). Errors: no level.
Result<PureDp> compose_parallel(std::span<const PureDp> levels, Partition partition);
Result<ApproximateDp> compose_parallel(std::span<const ApproximateDp> levels, Partition partition);
Result<GaussianDp> compose_parallel(std::span<const GaussianDp> levels, Partition partition);
Result<ZeroConcentratedDp> compose_parallel(std::span<const ZeroConcentratedDp> levels,
                                            Partition partition);

// (6), (7). Errors: a size below 1, an overflow, a delta that reaches 1.
Result<PureDp> for_group(const PureDp& level, std::int64_t size);
Result<ApproximateDp> for_group(const ApproximateDp& level, std::int64_t size);
Result<GaussianDp> for_group(const GaussianDp& level, std::int64_t size);
Result<ZeroConcentratedDp> for_group(const ZeroConcentratedDp& level, std::int64_t size);
Result<RenyiDp> for_group(const RenyiDp& curve, std::int64_t size);

// Releases for the same relation, whose outputs are seen together, in the same view. Pure levels
// beside GDP are converted to GDP; beside a delta > 0, to (eps, 0).
Result<Guarantee> compose(std::span<const Guarantee> guarantees);

// A function of what `view` showed so far, seen instead of it. The level and the relation stay.
Guarantee after_post_processing(Guarantee guarantee, View view, const std::string& function);

}  // namespace assay
