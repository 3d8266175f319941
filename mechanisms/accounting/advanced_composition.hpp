// Advanced composition gives a smaller eps than the sum, for a delta in addition to that of the levels.
//
// k releases, each chosen adaptively, at (eps_i, delta_i) fixed in advance, with slack d > 0:
//   Dwork, Rothblum, Vadhan, for equal levels:
//     eps' = eps sqrt(2 k log(1/d)) + k eps (e^eps - 1),   delta' = k delta + d                (1)
//   Kairouz, Oh, Viswanath, for any levels: delta' = 1 - (1 - d) product (1 - delta_i) and the
//   least of
//     eps' = sum eps_i                                                                         (2)
//     eps' = sum eps_i tanh(eps_i/2) + sqrt(2 sum eps_i^2 log(1/d))                            (3)
//     eps' = sum eps_i tanh(eps_i/2) + sqrt(2 sum eps_i^2 log(e + sqrt(sum eps_i^2)/d))        (4)
// (3) is Hoeffding's inequality for the loss of randomised response, which has mean
// eps tanh(eps/2) and lies in [-eps, eps]. The logarithm in (3) and (4) is of 1/d: a published
// implementation leaves it out.
// (1) is for comparison with papers; (3) is never worse. For equal levels the exact composition
// (optimal_composition.hpp) is never worse than (3). None of these holds for levels that are chosen
// during the run, and none is an odometer (filters.hpp).
//
// Direction: rounded up. Accuracy: within 1e-14 (relative).
// Reference: Dwork, Rothblum, Vadhan, "Boosting and differential privacy" (FOCS 2010), theorem
// III.3; Kairouz, Oh, Viswanath, "The composition theorem for differential privacy" (ICML 2015;
// IEEE Trans. Inf. Theory, 2017), theorem 3.5.
// Threads: pure functions. Cost: O(levels).
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/result.hpp"

namespace assay {

// By (1). Errors: a level or a slack out of range, an overflow, a delta that reaches 1.
Result<ApproximateDp> advanced_composition_drv(const ApproximateDp& each, std::int64_t count,
                                               Delta slack);

// By (2) to (4). Errors: the same, and an empty list of levels.
Result<ApproximateDp> advanced_composition(std::span<const ApproximateDp> levels, Delta slack);

}  // namespace assay
