// Private explore-then-commit plays every arm equally often, and then always the arm with the largest noisy
// total. It is the simplest private bandit policy, a baseline for others.
//
// Symbols: N arms, m pulls of each, s_j the total reward of arm j in the first N m rounds.
//   rounds 1..N m play the arms in turn; all later rounds play the arm
//   argmax_j s_j + Laplace(1/eps); a tie goes to the lowest index                              (1)
//
// Privacy. Relation: replace one reward of the stream, in [0, 1]. View: the actions. With noise in real
// numbers the policy is eps-DP: the first N m actions are fixed, a reward moves one s_j by at most 1, the
// noisy totals are a Laplace mechanism of sensitivity 1, and the policy reads no later reward.
//
// Reference: Lattimore, Szepesvari, "Bandit Algorithms" (2020), algorithm 1, for the policy; Dwork,
// McSherry, Nissim, Smith, "Calibrating Noise to Sensitivity in Private Data Analysis" (TCC 2006), for the noise.
// Threads: a value; use one per thread. It gives the same bits on every machine. Cost: O(1) a round, O(N) once.
#pragma once

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

struct ExploreThenCommitConfig {
  std::int64_t arms = 2;
  std::int64_t pulls = 20;
  double epsilon = 1.0;

  static void fields(auto&& visit) {
    using C = ExploreThenCommitConfig;
    visit(field("arms", &C::arms, Range{2, 1024}, "N", "number of arms"));
    visit(field("pulls", &C::pulls, Range{1, 1e6}, "m", "pulls of each arm before it commits"));
    visit(field("epsilon", &C::epsilon, Range{1e-6, 1e6}, "eps", "privacy level"));
  }
};

class ExploreThenCommit : public BanditPolicy<ExploreThenCommitConfig> {
 public:
  static Result<ExploreThenCommit> create(const Config& config);

  // The arm of the next round; observe() must follow. Round N m + 1 draws N random numbers.
  int choose(ReplayStream& random) {
    if (round_ < explored()) return action_ = static_cast<int>(round_ % config_.arms);
    if (!committed_) commit(random);
    return action_;
  }

  // The reward of the action just taken.
  void observe(double reward) {
    ASSAY_CHECK(action_ >= 0, "observe follows an action");
    ASSAY_CHECK(reward >= 0.0 && reward <= 1.0, "rewards lie in [0, 1]");
    if (round_ < explored()) totals_[static_cast<std::size_t>(action_)] += reward;
    ++round_;
  }

  Guarantee guarantee() const;

  std::int64_t round() const { return round_; }  // rounds completed

 private:
  explicit ExploreThenCommit(const Config& config);

  std::int64_t explored() const { return config_.arms * config_.pulls; }
  void commit(ReplayStream& random);

  std::vector<double> totals_;
  std::int64_t round_ = 0;
  int action_ = -1;
  bool committed_ = false;
};

static_assert(Policy<ExploreThenCommit>);

}  // namespace assay
