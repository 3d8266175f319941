// A test of the hypothesis "every action is drawn from the reported probabilities", by bets that learn.
//
// In round t of a run the target reports pi(.|h_t) and draws a_t. For weights w that depend on the past alone,
//     E_c = product over rounds of w(a_t) / sum_b pi(b|h_t) w(b)                              (1)
// is a nonnegative martingale from 1 under the hypothesis, and so is the mean over several ways c to choose w:
// P(sup >= 1/alpha) <= alpha, over any number of rounds and runs. Each way sorts actions into classes, and weighs an
// action by the drawn actions of its class so far over their expected number,
//     w = (drawn + 1) / (expected + 1),                                                       (2)
// so a bet wins wherever the share of a class differs from its report:
//     action; action in this round; action after the last action; action after this history (on this input);
//     action on this input in this round; reported probability, by size
// The fixed alternatives of reported_probabilities.hpp find small distortions of a known kind sooner; these find any
// kind, such as uniform probabilities reported by a policy that is not uniform.
//
// Reference: Ramdas, Grunwald, Vovk, Shafer, "Game-theoretic statistics and safe anytime-valid inference"
// (Statistical Science 2023), section 3, on predictable plug-in bets.
// Threads: a value. Cost: six table look-ups an action.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "assay/auditors/statistics/reported_probabilities.hpp"
#include "assay/policies/inputs/input_table.hpp"

namespace assay {

class DrawnActionsTest {
 public:
  explicit DrawnActionsTest(double alpha) : evidence_(alpha) {}

  // One run: the actions drawn in all rounds, and the probabilities reported before each, round by round.
  void run(Side side, std::span<const double> probabilities, std::span<const int> actions);

  const EvidenceAgainst& evidence() const { return evidence_; }
  std::int64_t runs() const { return runs_; }

 private:
  static constexpr std::size_t kWays = 6;
  struct Share {
    double drawn = 0.0, expected = 0.0;
  };

  std::array<std::unordered_map<std::uint64_t, Share>, kWays> shares_;  // by class
  std::array<double, kWays> log_wealth_{};
  EvidenceAgainst evidence_;
  std::int64_t runs_ = 0;
};

}  // namespace assay
