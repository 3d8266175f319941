// A bandit policy for two arms that decides by the rewards of epochs, and four faults of it.
//
// T = 20 rounds in epochs of m = 4. The first epoch plays arm 1. After epoch k
//   N_k = S_k + Laplace(1/epsilon),  S_k = sum of the rewards of epoch k                       (1)
//   the next epoch switches arms if N_k < m/2, and keeps its arm otherwise                     (2)
// Both halves of the next epoch use the same N_k.
//
// Privacy of the correct counterpart. Relation: replace one reward. View: the actions. It is
// epsilon-DP: S_k moves by at most 1 and every reward is in only one S_k (McSherry, "Privacy integrated
// queries" (SIGMOD 2009), theorem 4, parallel composition). The level is attained if S_k >= m/2 on
// both inputs. Each fault breaks this argument:
//   noise reused       one draw of noise serves all N_k; a comparison of two decisions cancels it, so
//                      epsilon is infinite
//   counter not reset  S_k is the sum of all rewards so far (against k m/2), so that a reward of the
//                      first epoch is released four times: 4 epsilon
//   off-by-one epoch   the window of an epoch begins one round early, so that the last reward of the
//                      previous epoch is released twice: 2 epsilon
//   double release     the second half of an epoch computes N_k again with fresh noise: 2 epsilon
//
// Distribution. Given the input the decisions are independent Bernoulli of probability
//   P(N_k < m/2) = F(epsilon (m/2 - S_k)),  F the standard Laplace cdf,                        (3)
// except with reused noise Z: then all are functions of Z, constant between the points m/2 - S_k. (4)
// Threads: a value. Cost of a run: 4 to 8 noises, 0.2 us.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/faulty/transcript_distribution.hpp"

namespace assay::faulty {

enum class EpochFault { kNone, kNoiseReused, kCounterNotReset, kOffByOne, kDoubleRelease };

class EpochSwitching {
 public:
  static constexpr std::size_t kHorizon = 20;
  static constexpr std::size_t kEpoch = 4;
  static constexpr double kEpsilon = 1.0;

  explicit EpochSwitching(EpochFault fault);

  void play(std::span<const double> rewards, ReplayStream& random, std::span<double> actions) const;
  TranscriptDistribution distribution(std::span<const double> rewards) const;
  static std::uint64_t cell(std::span<const double> actions) { return transcript_key(actions); }

 private:
  // m/2 - S_k for each epoch that a decision follows. N_k < m/2 if the noise is below it.
  std::vector<double> margins(std::span<const double> rewards) const;

  EpochFault fault_;
  Laplace noise_;
};

}  // namespace assay::faulty
