// Computes how much to bet on each class of outputs, so that one bet covers many events at once.
//
// Outputs fall into classes k, which are fixed before the runs. Weights f_k, g_k >= 0 bet on them: f that P is
// more likely than Q, and g the reverse.
// If p(A) <= c q(A) + delta and q(A) <= c p(A) + delta for every event A, then
//     sum_k f_k (p_k - c q_k) + g_k (q_k - c p_k) <= delta (max f + max g)                   (1)
// (f is an integral of events {f > t}, t from 0 to max f, and so is g). A run on P of class k adds
// f_k - c g_k to the mean on the left side, and one on Q adds g_k - c f_k. A single event is the case f = 1 on the
// event and 0 elsewhere.
//
// best_weights() maximises (left - right of (1))/sqrt(variance), the evidence of many runs. It solves a
// quadratic programme a' V a/2 - s a over 0 <= a = (f, g) <= cap, by descent along coordinates, for smaller and
// smaller caps, and takes the best. A solution counts for less if one run could lose so much that bets must stay
// small. Only power depends on this: (1) holds for any weights.
//
// The log ratio of neighbouring classes usually changes little by little, and each class occurs too
// rarely to estimate its own. So l_k is the minimum of
//     -log likelihood of P or Q given the classes + smoothness/2 sum (l_(k+1) - 2 l_k + l_(k-1))^2,  (2)
// by Newton's method, with the smoothness of largest evidence among a few (Laplace's approximation).
//
// Reference: Neyman, Pearson (1933) for one threshold; with c q beside p the best weights grow with p/q
// beyond it, as (p - c q)/(p + c^2 q).
// Threads: pure functions. Results are bit-identical on every machine. Cost: 50 us for 16 classes.
#pragma once

#include <cstddef>
#include <vector>

namespace assay {

// p <= slope q + offset, for every event: slope > 0, offset in [0, 1].
struct SideClaim;

// The part of alpha for bets on the event by itself, if weighted classes have bets as well.
inline constexpr double kEventShare = 0.1;

struct ClassWeight {
  double f = 0.0, g = 0.0;
};

// How many runs on P and on Q fell into each class.
struct ClassCounts {
  std::vector<double> p, q;
  double smoothness = 0.0;  // of (2); 0 for no smoothing

  std::size_t size() const { return p.size(); }
};

// The weights for bets on that many runs on each of P and Q. The largest weight is 1; all are 0 if no class is
// evidence against the claim.
std::vector<ClassWeight> best_weights(const SideClaim& claim, const ClassCounts& counts,
                                      double runs);

// The smoothness of (2), from the runs of the learning phase.
double best_smoothness(const ClassCounts& counts);

// The right side of (1) over delta.
double weight_of_delta(const std::vector<ClassWeight>& weights);

}  // namespace assay
