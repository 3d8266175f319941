// Anytime-Lazy-UCB chooses arms by upper confidence bounds on private means. It draws a new mean of an arm
// only after twice as many rewards as for the last one. A baseline for Thompson sampling.
//
// Symbols: N arms, t the current round, from 1; r_j the phase of arm j, which begins at 0.
//   rounds 1..N play each arm once, in order; these single rewards are the phases 0
//   an arm in phase r that has had 2^(r+1) rewards since enters phase r + 1, and then
//   y_j = mean of arm j's newest 2^(r_j) rewards + Laplace(1 / (eps 2^(r_j)))                  (1)
//   index_j(t) = y_j + sqrt(c1 log(t) / 2^(r_j)) + c2 log(t) / (eps 2^(r_j))                   (2)
//   rounds t > N play the arm argmax_j index_j(t); a tie goes to the lowest index
// Between two means all indices grow with log t alone, so (2) bounds how fast a lead shrinks. The arm is played until
// some lead may have ended, and only then are indices compared:
//   t' <= t (1 + min_j (index_i(t) - index_j(t))/(sqrt(c1) (2^(-r_j/2) - 2^(-r_i/2))+/(2 sqrt(log t))
//                                            + c2 (2^(-r_j) - 2^(-r_i))+/eps))                      (3)
// (1) uses exactly the rewards of one phase: it forgets all earlier ones, and later ones wait.
//
// Readings. The paper's own text was not available to us. Doubling phases, forgetting, the noise of (1) and
// c2 = 3 are also those of its sequel, Lazy-DP-TS (Hu and Hegde, UAI 2022). c1 = 3 is unconfirmed.
// Both constants are fields, so that another reading needs no code, and privacy depends on neither.
// The policy is "anytime": it uses no horizon.
//
// Privacy. Relation: replace one reward of the stream, in [0, 1]. View: the actions. With noise in
// real numbers the policy is eps-DP: docs/proofs/anytime_lazy_ucb.md. A transcript's likelihood has
// no closed form. The loss of the releases is exact and bounds the loss of the view.
//
// Reference: Hu, Huang, Mehta, "Near-Optimal Algorithms for Private Online Learning in a Stochastic
// Environment" (2021, arXiv:2102.07929), algorithm Anytime-Lazy-UCB.
// Threads: a value; use one per thread. It gives the same bits on every machine. Cost: about 5 ns a round at N = 5
// (benchmarks/baselines_benchmark.cpp); O(N) for a round that compares indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/concepts.hpp"

namespace assay {

struct AnytimeLazyUcbConfig {
  std::int64_t arms = 2;
  double epsilon = 1.0;
  double mean_bonus = 3.0;
  double noise_bonus = 3.0;

  static void fields(auto&& visit) {
    using C = AnytimeLazyUcbConfig;
    visit(field("arms", &C::arms, Range{2, 1e5}, "N", "number of arms"));
    visit(field("epsilon", &C::epsilon, Range{1e-6, 1e6}, "eps", "privacy level"));
    visit(field("mean_bonus", &C::mean_bonus, Range{0, 1e3}, "c1",
                "multiplier of log t under the root, for the error of the mean"));
    visit(field("noise_bonus", &C::noise_bonus, Range{0, 1e3}, "c2",
                "multiplier of log t for the error that the noise adds"));
  }
};

class AnytimeLazyUcb : public BanditPolicy<AnytimeLazyUcbConfig> {
 public:
  static Result<AnytimeLazyUcb> create(const Config& config);

  // The arm of the next round; observe() must follow. Draws one random number, the noise of a mean,
  // if the previous round ended a phase.
  int choose(ReplayStream& random) {
    if (pending_) release(random);
    if (round_ < leads_until_) return action_;
    return action_ = round_ < config_.arms ? static_cast<int>(round_) : best_index();
  }

  // The reward of the action just taken.
  void observe(double reward) {
    ASSAY_CHECK(action_ >= 0, "observe follows an action");
    ASSAY_CHECK(reward >= 0.0 && reward <= 1.0, "rewards lie in [0, 1]");
    Waiting& waiting = waiting_[static_cast<std::size_t>(action_)];
    waiting.sum += reward;
    pending_ = ++waiting.count == waiting.size;
    ++round_;
  }

  Guarantee guarantee() const;

  std::int64_t round() const { return round_; }        // rounds completed
  std::int64_t releases() const { return releases_; }  // means (1) drawn so far
  // y_j, and the number 2^(r_j) of rewards in it; 0 before the first mean.
  double private_mean(int arm) const { return arms_[static_cast<std::size_t>(arm)].mean; }
  std::int64_t released_rewards(int arm) const {
    return waiting_[static_cast<std::size_t>(arm)].size / 2;
  }
  // The number of rewards of the arm that no release has read yet.
  std::int64_t waiting_rewards(int arm) const {
    return waiting_[static_cast<std::size_t>(arm)].count;
  }

 private:
  struct Index {
    double mean = 0.0;         // y
    double root_factor = 0.0;  // of sqrt(log t)
    double log_factor = 0.0;   // of log t
  };
  struct Waiting {
    double sum = 0.0;
    std::int64_t count = 0;
    std::int64_t size = 1;  // rewards that the next mean takes: 1, then twice the last
  };

  explicit AnytimeLazyUcb(const Config& config);

  int best_index();
  template <class IndexOf>
  std::int64_t lead_end(std::size_t best, IndexOf index, double root) const;  // (3)
  void release(ReplayStream& random);

  std::vector<Index> arms_;
  std::vector<Waiting> waiting_;
  std::int64_t round_ = 0;
  std::int64_t releases_ = 0;
  std::int64_t leads_until_ = 0;  // action_ has the largest index in all rounds before this one
  int action_ = -1;
  bool pending_ = false;  // the phase of action_ has ended, and its mean is not yet drawn
};

static_assert(Policy<AnytimeLazyUcb>);

}  // namespace assay
