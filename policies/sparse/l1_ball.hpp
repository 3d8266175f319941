// The Euclidean projection onto the l1 ball, by sorting.
//
//   argmin over ||u||_1 <= C of ||u - v||_2:  u_j = sign(v_j) max(|v_j| - t, 0)                 (1)
//   t = 0 inside the ball; else t = (|v|_(1) + .. + |v|_(k) - C)/k, |v|_(i) the i-th largest
//   size and k the largest for which |v|_(k) > t                                                (2)
// It never moves two points further apart. With rounding, ||u||_1 is at most C (1 + 1e-15 entries).
//
// Reference: Duchi, Shalev-Shwartz, Singer, Chandra, "Efficient Projections onto the l1-Ball for
// Learning in High Dimensions" (ICML 2008), figure 1; Chakraborty, Roy, Basu, "FLIPHAT", section 4
// and appendix D.2.
// Threads: a pure function. The same bits on every machine. Cost: O(n log n).
#pragma once

#include <span>

namespace assay {

// Projects in place. Preconditions: radius >= 0, finite entries.
void project_onto_l1_ball(std::span<double> v, double radius);

}  // namespace assay
