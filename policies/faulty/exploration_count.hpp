// A bandit of two arms that explores as often as a private count says, and splits its budget
// wrongly: a policy that leaks through a count.
//
// T = 20 rounds. Rounds 1 to 4 play arm 1; S = floor of the sum of their rewards. Two releases:
//   N = S + DiscreteLaplace(1/epsilon'), clamped to 0..15: arm 2 is played in N of the rounds 5 to
//       19, a uniformly random subset of them                                                  (1)
//   the last round plays arm 2 where S + DiscreteLaplace(1/epsilon') >= 3                      (2)
// No single round tells N, and each of the many transcripts is rare: only the count tells.
//
// Privacy of the correct twin, epsilon' = epsilon/2. Relation: replace one reward. View: the
// actions. epsilon-DP: S moves by at most 1, each release is epsilon'-DP (Ghosh, Roughgarden,
// Sundararajan, STOC 2009), and the two compose (Dwork, McSherry, Nissim, Smith, TCC 2006; basic
// composition); the actions are post-processing. Attained where S moves from 2 to 3, by the event
// that N >= 3 and the last action is arm 2.
// The fault: each release spends the whole budget, epsilon' = epsilon: 2 epsilon.
//
// Law. A cell is (N, last action), as the subset is uniform whatever the input; the two are
// independent, with the probabilities of discrete Laplace noise.                               (3)
// Threads: a value. Cost of a play: 0.2 us.
#pragma once

#include <cstdint>
#include <span>

#include "assay/mechanisms/noise/discrete_laplace.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/faulty/transcript_law.hpp"

namespace assay::faulty {

class ExplorationCount {
 public:
  static constexpr std::size_t kHorizon = 20;
  static constexpr std::size_t kCalibration = 4;
  static constexpr double kEpsilon = 1.0;

  explicit ExplorationCount(bool faulty);

  void play(std::span<const double> rewards, ReplayStream& random, std::span<double> actions) const;
  TranscriptLaw law(std::span<const double> rewards) const;
  // 2 N + last action.
  static std::uint64_t cell(std::span<const double> actions);

 private:
  DiscreteLaplace noise_;
};

}  // namespace assay::faulty
