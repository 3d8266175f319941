// UCB1 plays the arm with the largest sum of mean reward and confidence bonus. A baseline that is not
// private.
//
// Symbols: N arms, n_j pulls and m_j mean reward of arm j, n = sum n_j.
//   rounds 1..N play each arm once, in order; then
//   argmax_j m_j + sqrt(2 log(n) / n_j); a tie goes to the lowest index                        (1)
//
// Privacy. Relation: replace one reward of the stream. View: the actions. There is no level, since the
// actions are a function of the rewards. If a changed reward changes an action, the transcript has probability 1 on
// one stream and 0 on its neighbour, so guarantee() is eps = infinity. For the same reason a
// transcript's likelihood is 0 or 1, and nothing computes it.
//
// Reference: Auer, Cesa-Bianchi, Fischer, "Finite-time Analysis of the Multiarmed Bandit Problem"
// (Machine Learning 47, 2002), Figure 1.
// Threads: a value; use one per thread. It gives the same bits on every machine.
// Cost: about 25 ns a round at N = 5 (benchmarks/baselines_benchmark.cpp), O(N).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "assay/mechanisms/accounting/guarantee.hpp"
#include "assay/mechanisms/core/check.hpp"
#include "assay/mechanisms/core/configuration.hpp"
#include "assay/mechanisms/core/result.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/concepts.hpp"

namespace assay {

struct Ucb1Config {
  std::int64_t arms = 2;

  static void fields(auto&& visit) {
    visit(field("arms", &Ucb1Config::arms, Range{2, 1024}, "N", "number of arms"));
  }
};

class Ucb1 : public BanditPolicy<Ucb1Config> {
 public:
  static Result<Ucb1> create(const Config& config);

  // The arm of the next round; observe() must follow. Draws no random number.
  int choose(ReplayStream&) {
    return action_ = round_ < config_.arms ? static_cast<int>(round_) : best_index();
  }

  // The reward of the action just taken.
  void observe(double reward) {
    ASSAY_CHECK(action_ >= 0, "observe follows an action");
    ASSAY_CHECK(reward >= 0.0 && reward <= 1.0, "rewards lie in [0, 1]");
    Arm& arm = arms_[static_cast<std::size_t>(action_)];
    const double pulls = static_cast<double>(++arm.pulls);
    arm.sum += reward;
    arm.mean = arm.sum / pulls;
    arm.root_factor = std::sqrt(1.0 / pulls);
    ++round_;
  }

  Guarantee guarantee() const;

  std::int64_t round() const { return round_; }  // rounds completed
  double mean(int arm) const { return arms_[static_cast<std::size_t>(arm)].mean; }
  std::int64_t pulls(int arm) const { return arms_[static_cast<std::size_t>(arm)].pulls; }

 private:
  struct Arm {
    double mean = 0.0;
    double root_factor = 0.0;  // of sqrt(2 log n)
    double sum = 0.0;
    std::int64_t pulls = 0;
  };

  explicit Ucb1(const Config& config);

  int best_index() const;

  std::vector<Arm> arms_;
  std::int64_t round_ = 0;
  int action_ = -1;
};

static_assert(Policy<Ucb1>);

}  // namespace assay
