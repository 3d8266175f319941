// The privacy profile of the best of several runs, from that of one run; and a pair that a profile leaves, from below.
//
// A run has the profile delta(a) at a = e^eps, the larger of both orders of the neighbours. The generating function of the
// number of runs K is f, and share(s) = f'(1 - s)/f'(1), which falls from 1. An event of probability s on one input has at most
//   h(s) = min over a of a s + delta(a)                                                         (1)
// on its neighbour. The largest over s of max(0, share(s) - share(h(s)) z) is convex in z: it is sum of w_k (1 - z/z_k)+ with
// weights of sum 1, and
//   delta of the best at a <= E[K] sum of w_k delta(a/z_k)                                      (2)
// docs/proofs/repeat_and_select.md, (8), has the proof.
// Threads: values. Cost: 20 ms for 1,000 points.
#pragma once

#include <functional>
#include <vector>

#include "assay/mechanisms/accounting/pld/internal/profile_hull.hpp"
#include "assay/mechanisms/numerics/enclosure.hpp"

namespace assay::detail {

// An upper bound on delta at any eps, by chords between points at or above a profile in both orders, by increasing loss from 0.
// Beyond the last loss it is its delta.
double profile_above(const std::vector<ProfilePoint>& points, double eps);

// (2), as points for hull_of_profile(). `mean` is E[K] or more; `share` encloses its value on a point.
std::vector<ProfilePoint> profile_of_best(const std::vector<ProfilePoint>& run, double mean,
                                          const std::function<Enclosure(double)>& share);

// Outputs of a pair that the neighbours' outputs can be processed into, by increasing loss.
struct PairCell {
  double loss = 0.0;  // approximately log P/Q
  Enclosure log_p, log_q;
};
// `remove` and `add` are at or below the profiles of P against Q and of Q against P, by increasing loss from 0. A pair whose
// profiles are below theirs is a post-processing (Blackwell 1953): P(E) - a Q(E) is at most delta at every a for each event E.
std::vector<PairCell> pair_below(const std::vector<ProfilePoint>& remove,
                                 const std::vector<ProfilePoint>& add);

}  // namespace assay::detail
