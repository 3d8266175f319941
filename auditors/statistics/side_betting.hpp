// Bets against a privacy claim on single runs, where a fair coin chooses the input of each run. The test is valid at
// any stopping time, even if the target remembers earlier runs or changes over time.
//
// A fair coin of the auditor puts run t on P or Q, independently of everything before it, F. f is 1 if the event,
// which was fixed before, happens; p_t = P(f | F, P), q_t = P(f | F, Q). If at
// every run p_t <= c q_t + delta given F, then for predictable u
//     z_t = 2 f 1{P} - 2 c f 1{Q} + u (1{Q} - 1{P}) - delta,                                 (1)
//     E[z_t | F] = p_t - c q_t - delta <= 0                                                  (2)
// and the wealth W_t = W_(t-1) (1 + lambda_t z_t), 0 <= lambda_t <= 1/max(-z), is a nonnegative
// supermartingale, for any dependence of p_t, q_t on the past.                                 (3)
// u removes the noise of the coin (4). Two gamblers share the first stake: one replicates the option "1/alpha
// at the horizon" (bet_fraction.hpp), at the claim's point (p0, q0) that is most likely given the
// runs so far,
//     min over p0 = c q0 + delta of kl(p, p0) + kl(q, q0);                                   (5)
// the other makes Newton steps, (6) of the proof page. Claims in mu are tested by tangents of h_mu.
//
// Instead of one event, classes of outputs can have weights (class_weights.hpp), for P over Q and for Q
// over P; a claim about both orders bounds the mean of that too, (7). The weights are predictable, from
// earlier runs and those of the learning phase, and are computed again whenever the number of runs doubles. Proofs:
// docs/proofs/side_betting.md.
//
// Reference: Waudby-Smith and Ramdas (JRSS B 2024) for (3); Voracek and Orabona, "STaR-Bets"
// (NeurIPS 2025) for the option; Cutkosky and Orabona, "Black-box reductions for parameter-free
// online learning" (COLT 2018) for the steps. Random inputs under dependence: the argument of a
// permutation test, made sequential.
// Threads: values. Results are bit-identical on every machine. Cost: 3 ns per run and 0.3 us per block (there
// are about a thousand); a few times that with classes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/auditors/statistics/class_weights.hpp"
#include "assay/auditors/statistics/count_ordering.hpp"
#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

// p <= slope q + offset, for every event: slope > 0, offset in [0, 1].
struct SideClaim {
  double slope = 1.0;
  double offset = 0.0;
  static SideClaim approximate(Epsilon epsilon, Delta delta);
  // The tangent of h_mu against which an event with probabilities p and q is the strongest evidence.
  static SideClaim gaussian(Mu mu, double p, double q);
  // The chord of h_mu over [low, high]: for an event with q in there, p >= h_mu(q) implies p >= slope q + offset
  // (against_more, below).
  static SideClaim gaussian_from_below(Mu mu, double low, double high);
};

// The q of the claim's point (5) for an event that was seen with probabilities p and q; q itself if the claim holds.
double most_likely_q(const SideClaim& claim, double p, double q);

struct SideBettingPlan {
  double alpha = 1e-3;        // in (0, 1)
  std::int64_t horizon = 1;   // planned runs, on P and Q together
  double online_share = 0.1;  // the share of the first stake for Newton's steps, in [0, 1]
  double p = 0.0, q = 0.0;    // guesses of the event's probabilities; they affect only the width
  bool against_more = false;  // tests p >= slope q + offset instead, for futility
};

// One certified run.
struct SidePlay {
  bool on_p = false;
  bool hit = false;
  std::uint8_t output_class = 0;  // if classes have weights
  bool keyed = false;             // its seeding, if runs are divided; certify.hpp
};

class SideBettingTest {
 public:
  // A test on one event.
  SideBettingTest(const SideClaim& claim, const SideBettingPlan& plan);
  // A test on classes of outputs, at least two and at most 255. `learnt` counts the runs on P and Q in them during the
  // learning phase. The claim is about both orders.
  SideBettingTest(const SideClaim& claim, const SideBettingPlan& plan, const ClassCounts& learnt);

  void observe(SidePlay play);
  // For a test on one event: observes `counts` runs of the kinds (P miss, P hit, Q miss, Q hit), in unknown order. It
  // checks the wealth only at the end. Preconditions: they do not go beyond the block; while there are fewer than
  // kFewHits hits, a hit is the last run.
  void observe_counts(const std::array<std::int64_t, 4>& counts);
  std::int64_t block_left();  // first starts the next block if the last one is over

  bool certified() const { return certified_; }  // whether the wealth has reached 1/alpha
  double wealth() const { return option_ + online_; }
  std::int64_t hits() const { return hits_; }  // runs that moved the wealth much
  std::int64_t runs() const { return time_; }

 private:
  // Runs of one class on one input; classes on P come first, then those on Q.
  struct Kind {
    double z = 0.0;  // (1), over scale
    double option_factor = 1.0, online_factor = 1.0;
    std::int64_t seen = 0, seen_before = 0;  // before: at the start of the block
  };

  std::size_t classes() const { return weights_.size(); }
  void start();
  void start_block();
  void weigh();
  void end_after_hit(bool hit);
  void adapt_online();
  void find_null_distribution(double cap);
  double option_bet(double scale, double cap);

  SideClaim claim_;
  SideBettingPlan plan_;
  double threshold_;
  double option_, online_;               // the two wealths
  double online_bet_ = 0.0, curvature_;  // in units of 1/scale
  double tilt_ = 0.0;                    // of (5), in units of 1/scale
  bool weighs_ = false;                  // else one event
  ClassCounts learnt_;
  double learnt_p_ = 0.0, learnt_q_ = 0.0;  // runs in total
  std::vector<ClassWeight> weights_;
  std::int64_t next_weighing_ = 0;
  std::vector<Kind> kinds_;
  std::vector<double> distribution_,
      null_distribution_;  // distributions over the kinds: as observed; (5)
  std::int64_t time_ = 0, left_ = 0, hits_ = 0;
  bool certified_ = false;
};

// The smallest eps for which the test of plan.horizon runs refutes `claim` with probability at
// least `power` if every run has probabilities e^eps q + delta on P and q on Q, whose mean is
// `frequency` (at most 1/2), and delta that of the claim. Simulates the test with streams of
// `seed`; an eps counts if the 99% Clopper-Pearson lower limit of its power reaches `power`.
// Infinite if no eps is enough. Cost: about 0.5 s.
Epsilon smallest_visible_epsilon(Epsilon claimed, Delta delta, double frequency,
                                 const SideBettingPlan& plan, double power, std::uint64_t seed);
// The same for a claim in mu: every run has probabilities h_mu(q) and q.
Mu smallest_visible_mu(Mu claimed, double frequency, const SideBettingPlan& plan, double power,
                       std::uint64_t seed);

}  // namespace assay
