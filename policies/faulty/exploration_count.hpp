// A bandit policy for two arms whose number of explorations is a private count. Its fault splits the budget
// wrongly, and the leak is in the count.
//
// T = 20 rounds. Rounds 1 to 4 play arm 1; S = floor of the sum of their rewards. Two releases:
//   N = S + DiscreteLaplace(1/epsilon'), clamped to 0..15: N of the rounds 5 to 19, a uniformly
//       random subset of them, play arm 2                                                      (1)
//   the last round plays arm 2 if S + DiscreteLaplace(1/epsilon') >= 3                         (2)
// No single round shows N, and each of the many transcripts is rare: only the count shows the leak.
//
// Privacy of the correct counterpart, epsilon' = epsilon/2. Relation: replace one reward. View: the
// actions. It is epsilon-DP: S moves by at most 1, each release is epsilon'-DP (Ghosh, Roughgarden,
// Sundararajan, STOC 2009), the two compose (Dwork, McSherry, Nissim, Smith, TCC 2006; basic
// composition), and the actions are a post-processing. If S moves from 2 to 3, the event that N >= 3 and
// the last action is arm 2 attains the level.
// The fault: each release spends the whole budget, epsilon' = epsilon: 2 epsilon.
//
// Distribution. A cell is (N, last action), because the subset is uniform on every input; the two are
// independent, with the probabilities of discrete Laplace noise.                               (3)
// Threads: a value. Cost of a run: 0.2 us.
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/noise/discrete_laplace.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/faulty/transcript_distribution.hpp"

namespace assay::faulty {

class ExplorationCount {
 public:
  static constexpr std::size_t kHorizon = 20;
  static constexpr std::size_t kCalibration = 4;
  static constexpr double kEpsilon = 1.0;

  explicit ExplorationCount(bool faulty);

  void play(std::span<const double> rewards, ReplayStream& random, std::span<double> actions) const;
  TranscriptDistribution distribution(std::span<const double> rewards) const;
  // The cell of a transcript: 2 N + last action.
  static std::uint64_t cell(std::span<const double> actions);

 private:
  DiscreteLaplace noise_;
};

}  // namespace assay::faulty
