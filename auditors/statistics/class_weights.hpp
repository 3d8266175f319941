// How much to stake on each class of outputs, so that one bet speaks of many events at once.
//
// Outputs fall into classes k, fixed before. f_k, g_k >= 0 weigh them: f for P over Q, g for Q over P.
// If p(A) <= c q(A) + delta and q(A) <= c p(A) + delta for every event A, then
//     sum_k f_k (p_k - c q_k) + g_k (q_k - c p_k) <= delta (max f + max g)                   (1)
// (f is an integral of events {f > t}, t from 0 to max f, and so is g). A play on P of class k adds
// f_k - c g_k to the left side's mean, one on Q g_k - c f_k. An event is f = 1 on it and 0 elsewhere.
//
// best_weights() maximises (left - right of (1))/sqrt(variance), the evidence of many plays: a quadratic
// programme a' V a/2 - s a over 0 <= a = (f, g) <= cap, by descent along coordinates, for smaller and
// smaller caps; kept is the best, marked down where one play could lose so much that bets must stay
// small. It looks for power only: (1) holds for any weights.
//
// The log ratio of neighbouring classes changes little by little, as a rule, and a class is seen too
// seldom to tell its own: l_k is the minimum of
//     -log likelihood of the sides given the classes + smoothness/2 sum (l_(k+1) - 2 l_k + l_(k-1))^2,  (2)
// by Newton's method, and the smoothness the one of a few of largest evidence (Laplace's approximation).
//
// Reference: Neyman, Pearson (1933) for one threshold; with c q beside p the best weights grow with p/q
// beyond it, as (p - c q)/(p + c^2 q).
// Threads: pure functions. Same bits on every machine. Cost: 50 us for 16 classes.
#pragma once

#include <cstddef>
#include <vector>

namespace assay {

// p <= slope q + offset, for every event: slope > 0, offset in [0, 1].
struct SideClaim;

// Of alpha: for bets on the event by itself, where classes are weighed beside it.
inline constexpr double kEventShare = 0.25;

struct ClassWeight {
  double f = 0.0, g = 0.0;
};

// How many plays of either side fell into each class.
struct ClassCounts {
  std::vector<double> p, q;
  double smoothness = 0.0;  // of (2); 0: none

  std::size_t size() const { return p.size(); }
};

// For bets on that many plays a side. The largest weight is 1; all are 0 where no class speaks against
// the claim.
std::vector<ClassWeight> best_weights(const SideClaim& claim, const ClassCounts& counts,
                                      double plays);

// Of (2), from plays that were learnt from.
double best_smoothness(const ClassCounts& counts);

// The right side of (1) over delta.
double weight_of_delta(const std::vector<ClassWeight>& weights);

}  // namespace assay
