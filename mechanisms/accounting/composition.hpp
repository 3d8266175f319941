// Computes the guarantee of several releases together, and the guarantee of one release for a group of
// records.
//
// Sequential and adaptive composition: each release may read all the data and all earlier outputs, and
// these outputs may decide which release comes next. Its level is fixed in advance (if it is not, see
// filters.hpp).
//   pure      eps = sum eps_i                                                                  (1)
//   approx.   eps = sum eps_i,  delta = 1 - product (1 - delta_i)                              (2)
//   GDP       mu^2 = sum mu_i^2        zCDP  rho = sum rho_i        RDP  sum at every order    (3)
// (2) is basic composition; advanced_composition.hpp and optimal_composition.hpp spend less eps.
//
// Parallel composition: each release reads its own part of the data.
//   kByPosition   the part of a record does not depend on its value. A replaced record changes one
//                 part, so the largest level holds.                                            (4)
//   kByValue      the value of a record decides its part. Replacing a record removes it from one
//                 part and adds it to another, so the two largest levels are composed. Each level
//                 must hold for adding or removing one record of its part.                     (5)
//
// A group of k records is k replacements, one after another:
//   pure k eps;  approx. (k eps, delta (e^(k eps) - 1)/(e^eps - 1));  GDP k mu;  zCDP k^2 rho  (6)
//   RDP, k <= 2^c: D'_alpha <= 3^c D_(2^c alpha) for alpha >= 2, and D'_alpha <= D'_2 below    (7)
//
// References, and a common mistake about (4): docs/proofs/composition.md.
// Direction: levels are rounded up. They must be finite. Errors: a sum that overflows; guarantees with
// different relations or views; GDP together with (eps, delta > 0), which have no common type until
// the caller picks a delta.
// Threads: pure functions. Cost: O(levels).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/accounting/renyi.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// By (1) to (3). The composition of no levels has level 0.
Result<PureDp> compose(std::span<const PureDp> levels);
Result<ApproximateDp> compose(std::span<const ApproximateDp> levels);
Result<GaussianDp> compose(std::span<const GaussianDp> levels);
Result<ZeroConcentratedDp> compose(std::span<const ZeroConcentratedDp> levels);
RenyiDp compose(std::span<const RenyiDp> curves);

// The same level composed `count` times.
Result<PureDp> compose_repeated(const PureDp& level, std::int64_t count);
Result<ApproximateDp> compose_repeated(const ApproximateDp& level, std::int64_t count);
Result<GaussianDp> compose_repeated(const GaussianDp& level, std::int64_t count);
Result<ZeroConcentratedDp> compose_repeated(const ZeroConcentratedDp& level, std::int64_t count);
Result<RenyiDp> compose_repeated(const RenyiDp& curve, std::int64_t count);

enum class Partition { kByPosition, kByValue };
// By (4) or (5). Errors: no level.
Result<PureDp> compose_parallel(std::span<const PureDp> levels, Partition partition);
Result<ApproximateDp> compose_parallel(std::span<const ApproximateDp> levels, Partition partition);
Result<GaussianDp> compose_parallel(std::span<const GaussianDp> levels, Partition partition);
Result<ZeroConcentratedDp> compose_parallel(std::span<const ZeroConcentratedDp> levels,
                                            Partition partition);

// By (6) or (7). Errors: a size below 1, an overflow, a delta that reaches 1.
Result<PureDp> for_group(const PureDp& level, std::int64_t size);
Result<ApproximateDp> for_group(const ApproximateDp& level, std::int64_t size);
Result<GaussianDp> for_group(const GaussianDp& level, std::int64_t size);
Result<ZeroConcentratedDp> for_group(const ZeroConcentratedDp& level, std::int64_t size);
Result<RenyiDp> for_group(const RenyiDp& curve, std::int64_t size);

// The guarantee of releases with the same relation and view, if the adversary sees all their outputs. Pure levels are
// converted to GDP if another level is GDP, and to (eps, 0) if another level has delta > 0.
Result<Guarantee> compose(std::span<const Guarantee> guarantees);

// The guarantee if the adversary sees `view`, which is a function of the view of `guarantee`. The level and the
// relation stay the same; `function` joins the source.
Guarantee after_post_processing(Guarantee guarantee, View view, const std::string& function);

}  // namespace assay
