// An e-process against a privacy claim, from runs whose input a fair coin chooses. Its evidence can be kept after an
// audit, so that later audits of the same content add to it.
//
// Run t is as in side_betting.hpp, with an event of probabilities p_t, q_t given all before it, and the claim that
// p_t <= c q_t + delta. With p0 = c q0 + delta, fixed before the runs,
//     z_t = 2 1{P} (f - p0) - 2 c 1{Q} (f - q0),   mean p_t - c q_t - delta <= 0 given the past,     (1)
// and a gambler who bets the same a, 0 <= a < 1/max(-z), on each run has the wealth
//     product over t of (1 + a z_t),                                                                 (2)
// a nonnegative supermartingale, whose value needs the four counts alone. Gamblers with geometric a share the
// first stake, so that one of them is nearly optimal for any violation. Nothing in (2) has a
// horizon, so the runs of a later audit multiply the same wealth, even on another event, pair and (p0, q0), if these
// are chosen before the runs. The options of side_betting.hpp are sharper within one audit, but cannot be kept.
//
// docs/proofs/suite_alpha.md, (4), has the proof. Reference: Cover, "Universal portfolios" (1991), for a
// mixture of constant bets; Ramdas et al., "Game-theoretic statistics and safe anytime-valid inference" (2023).
// Threads: values. Results are bit-identical on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "assay/auditors/statistics/count_ordering.hpp"
#include "assay/auditors/statistics/side_betting.hpp"

namespace assay {

// The logarithms of the gamblers' wealths. Each began with a stake of 1.
struct GamblersWealth {
  static constexpr std::size_t kGamblers = 20;
  std::array<double, kGamblers> logs{};

  // The logarithm of their mean, which is that of an e-value at any time.
  double log_e_value() const;
  // Adds the wealth of later runs. A wealth of 0 (-inf) stays.
  void add(const GamblersWealth& later);
};

// The wealth (2) for these runs. p and q are the event's probabilities as estimated before the runs; the proof does not
// need them to be right.
GamblersWealth bet_on(const SideClaim& claim, double p, double q, const EventCounts& runs);

// The e-process of a claim, by all runs and, if they are divided between two seedings (certify.hpp), by those of each.
struct ClaimEProcess {
  GamblersWealth all;
  std::optional<std::array<GamblersWealth, 2>> of_seedings;

  void add(const ClaimEProcess& later);
  // It is wrong with probability at most alpha, at any time. Each seeding alone must refute at seeding_alpha, too.
  bool refutes(double alpha, double seeding_alpha) const;
};

}  // namespace assay
