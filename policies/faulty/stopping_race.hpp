// A race between two arms that stops when the gap is large; its fault uses the raw gap.
//
// T = 20 rounds. Up to 8 pairs of rounds play arm 1, then arm 2; G_k is the sum of arm 1's rewards
// minus that of arm 2's after k pairs.
//   the race stops after the first pair for which AboveThreshold with budget epsilon/2 says that |G_k|
//   is above 2, or after the eighth                                                            (1)
//   all later rounds play arm 1 if G_k + Laplace(2/epsilon) >= 0, otherwise arm 2              (2)
//
// Privacy of the correct counterpart. Relation: replace one reward. View: the actions. It is
// epsilon-DP: a reward depends only on its round, so every |G_k| moves by at most 1; (1) is
// (epsilon/2)-DP (Lyu, Su, Li, PVLDB 2017, theorem 2) and so is (2), for each stopping time; the two
// compose adaptively (Dwork, McSherry, Nissim, Smith, TCC 2006).
// The fault: the race stops when the raw |G_k| reaches 2, "as only the winner is released". The
// adversary sees the stopping time, which is a function of the data: epsilon is infinite.
//
// Distribution. That of the stopping time comes from a quadrature over the threshold's noise
// (sparse_vector.hpp), to 1e-12 of each probability; that of the winner is a Laplace probability. (3)
// Threads: a value. Cost of a run: up to 10 noises, 0.3 us.
#pragma once

#include <span>

#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/mechanisms/release/above_threshold.hpp"
#include "assay/policies/faulty/transcript_distribution.hpp"

namespace assay::faulty {

class StoppingRace {
 public:
  static constexpr std::size_t kHorizon = 20;
  static constexpr std::size_t kPairs = 8;
  static constexpr double kGap = 2.0;
  static constexpr double kEpsilon = 1.0;

  explicit StoppingRace(bool faulty);

  void play(std::span<const double> rewards, ReplayStream& random, std::span<double> actions) const;
  TranscriptDistribution distribution(std::span<const double> rewards) const;
  static std::uint64_t cell(std::span<const double> actions) { return transcript_key(actions); }

 private:
  bool faulty_;
  AboveThreshold stop_;
  Laplace noise_;
};

}  // namespace assay::faulty
