// Betting against a privacy claim on single plays whose side is a fair coin: valid whatever the
// target remembers, however it drifts, at any stopping time.
//
// Play t is on side P or Q by a fair coin of the auditor's, tossed apart from everything before it,
// F. f is 1 where the event, fixed before, happens; p_t = P(f | F, P), q_t = P(f | F, Q). If at
// every play p_t <= c q_t + delta given F, then for predictable u
//     z_t = 2 f 1{P} - 2 c f 1{Q} + u (1{Q} - 1{P}) - delta,                                 (1)
//     E[z_t | F] = p_t - c q_t - delta <= 0                                                  (2)
// and the wealth W_t = W_(t-1) (1 + lambda_t z_t), 0 <= lambda_t <= 1/max(-z), is a nonnegative
// supermartingale, under any dependence of p_t, q_t on what went before.                       (3)
// u takes out the coin's noise (4). Two gamblers share the first stake: the replica of the option "1/alpha
// at the horizon" (bet_fraction.hpp), at the claim's point (p0, q0) that is most likely for what
// was seen,
//     min over p0 = c q0 + delta of kl(p, p0) + kl(q, q0);                                   (5)
// and Newton steps, (6) of the proof page. Claims in mu are tested by tangents of h_mu. Proofs:
// docs/proofs/side_betting.md.
//
// Reference: Waudby-Smith and Ramdas (JRSS B 2024) for (3); Voracek and Orabona, "STaR-Bets"
// (NeurIPS 2025) for the option; Cutkosky and Orabona, "Black-box reductions for parameter-free
// online learning" (COLT 2018) for the steps. Randomised sides under dependence: the argument of a
// permutation test, made sequential.
// Threads: values. Same bits on every machine. Cost:
// 3 ns a play, 0.3 us a block (a thousand of them).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "assay/auditors/statistics/count_ordering.hpp"
#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

// p <= slope q + offset, for every event: slope > 0, offset in [0, 1].
struct SideClaim {
  double slope = 1.0;
  double offset = 0.0;
  static SideClaim approximate(Epsilon epsilon, Delta delta);
  // The tangent of h_mu that an event of probabilities p and q speaks most against.
  static SideClaim gaussian(Mu mu, double p, double q);
};

struct SideBettingPlan {
  double alpha = 1e-3;        // in (0, 1)
  std::int64_t horizon = 1;   // planned plays, of both sides together
  double online_share = 0.1;  // of the first stake, in [0, 1]: Newton's steps
  double p = 0.0, q = 0.0;    // guesses of the event's probabilities; width alone depends on them
  bool against_more = false;  // tests p >= slope q + offset instead, for futility
};

// One certified play.
struct SidePlay {
  bool on_p = false;
  bool hit = false;
};

class SideBettingTest {
 public:
  SideBettingTest(const SideClaim& claim, const SideBettingPlan& plan);

  void observe(SidePlay play);
  // `counts` plays of kinds (P miss, P hit, Q miss, Q hit) in an order that is not said: looks at
  // the wealth at the end alone. They must not go beyond the block, and a hit has to be the last
  // play while there are fewer than kFewHits of them.
  void observe_counts(const std::array<std::int64_t, 4>& counts);
  std::int64_t block_left();  // starts the next block where the last one is over

  bool certified() const { return certified_; }  // the wealth reached 1/alpha at some time
  double wealth() const { return option_ + online_; }
  std::int64_t hits() const { return seen_[1] + seen_[3]; }
  std::int64_t plays() const { return time_; }

 private:
  void start_block();
  void adapt_online();
  double option_bet(double p, double q, double scale, double cap) const;

  SideClaim claim_;
  SideBettingPlan plan_;
  double threshold_;
  double option_, online_;               // the two wealths
  double online_bet_ = 0.0, curvature_;  // in units of 1/scale
  std::array<double, 4> z_{};            // (1) of each kind of play, over scale
  std::array<double, 4> option_factor_{}, online_factor_{};
  std::array<std::int64_t, 4> seen_{}, seen_before_{};  // before: at the start of the block
  std::int64_t time_ = 0, left_ = 0;
  bool certified_ = false;
};

// Is p <= slope q + offset refuted by these plays, looked at in order?
bool is_certified(const SideClaim& claim, const SideBettingPlan& plan,
                  std::span<const SidePlay> plays);

// The smallest eps for which the test of plan.horizon plays refutes `claim` with probability at
// least `power` when every play has probabilities e^eps q + delta and q, delta that of the claim:
// by simulation of the test with streams of `seed`, which counts when the 99% Clopper-Pearson lower
// limit of its power reaches `power`. Infinite where no probability below 1 is enough. Cost: about
// 0.5 s.
Epsilon smallest_visible_epsilon(Epsilon claimed, Delta delta, double q,
                                 const SideBettingPlan& plan, double power, std::uint64_t seed);

}  // namespace assay
