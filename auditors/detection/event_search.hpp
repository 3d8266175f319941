// The choice of a pair of inputs, a score and an event for one row, from samples alone.
//
// Rounds. In each, scores are learnt for every pair still in play from samples of the rounds before
// (a first one is only learnt from), and their candidate events, half-lines cut at quantiles of
// what was learnt, are counted on fresh samples, which no score has seen. Half of the pairs go on,
// then one, whose best event is taken. All inputs of a round are sampled on the same random streams,
// so that what two inputs do differently is not drowned by luck. With b the probability that both
// sides of a coupled pair hit the event, one pair tells r = log(p/q) with variance
//     v = E(f_P/p - f_Q/q)^2 = 1/p + 1/q - 2 b/(p q),                                         (0)
// and an event is worth the lower bound that the samples left can be expected to certify, less some
// standard errors of what is known about it (half of one in the first round that counts, one later):
//     r - 1.1 z_alpha sqrt(v/(left/2)) - doubt error(r);                                      (1)
// where the exact test will certify, with z_alpha (s_p + s_q)/sqrt(left), s_p^2 = (1 - p)/p, instead.
//
// The best of thousands of half-lines looks better than it is, most of all the rare ones. Half-lines
// of one score are nested, and the steps d_i of log(p/q) from one to the next, rarer one are
// estimated nearly independently, with variances v_i = V_(i+1) - V_i, V = v/n by (0). So r starts as
// counted where p is near 1/2 and each further step is shrunk by its prior,
//     r <- r + d_i t_i/(t_i + v_i),  var r <- var r + v_i t_i/(t_i + v_i),                     (2)
//     t_i = kStep^2 (r^2 + var r) log2(p_i/p_(i+1)), and the factor at least 1 - 9 v_i/d_i^2: (3)
// log ratios of mechanisms grow by a part of themselves as the event halves, noise does not know
// that. A step is believed where it is counted well or far beyond noise (an output that one side
// never gives), and the event does not become rarer where nothing is learnt from it.
//
// The search draws from streams of Phase::kSearch and kPilot and sees no other samples.
// Reference: Robbins, "An empirical Bayes approach to statistics" (1956), for shrinking by a prior
// that is about right; nothing here can make a bound invalid.
// Threads: results do not depend on their number. Cost: 0.2 to 2 us a sample.
#pragma once

#include <cstdint>
#include <memory>

#include "assay/auditors/methods/black_box/score.hpp"
#include "assay/auditors/methods/events.hpp"
#include "assay/mechanisms/core/progress.hpp"
#include "assay/mechanisms/faulty/detection_table.hpp"

namespace assay {

struct EventSearch {
  std::uint64_t seed = 1;
  double alpha = 0.1;       // of the bound to come
  std::int64_t budget = 0;  // samples in all, at least 58% of them for the certification
};

struct FoundEvent {
  std::size_t pair = 0;
  std::shared_ptr<const OutputScore> score;
  SelectedEvent selected;    // q = p e^-r; predicted: (1)
  double both = 0.0;         // probability that both sides of a coupled pair hit the event
  std::int64_t samples = 0;  // that the search used
};

// (0): of log(p/q) by one coupled pair, both sides of which hit with probability `both`.
inline double pair_variance(double p, double q, double both) {
  return 1.0 / p + 1.0 / q - 2.0 * both / (p * q);
}

// Whether an event is certified by bets on coupled pairs (else by the exact test on independent
// samples, which is better for a handful of hits on Q).
inline bool certified_coupled(double q, double left) { return 0.5 * left * q >= 200.0; }

// A cancelled search has no score.
FoundEvent search_event(const faulty::DetectionRow& row, const EventSearch& search,
                        const RunControl& control);

}  // namespace assay
