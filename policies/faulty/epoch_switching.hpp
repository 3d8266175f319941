// A bandit of two arms that reads its rewards in epochs, and four ways to get the epochs wrong.
//
// T = 20 rounds in epochs of m = 4. The first epoch plays arm 1. After epoch k
//   N_k = S_k + Laplace(1/epsilon),  S_k = sum of the rewards of epoch k                       (1)
//   the next epoch switches arms where N_k < m/2, and keeps its arm otherwise                  (2)
// in the first half of the epoch and in the second, both from the one N_k.
//
// Privacy of the correct twin. Relation: replace one reward. View: the actions. epsilon-DP: S_k
// moves by at most 1 and every reward is in one S_k only (McSherry, "Privacy integrated queries"
// (SIGMOD 2009), theorem 4, parallel composition), attained where S_k >= m/2 on both inputs. Each
// fault breaks the one or the other:
//   noise reused       one draw of noise serves all N_k: comparing two decisions cancels it, so
//                      epsilon is infinite
//   counter not reset  S_k is the sum of all rewards so far (against k m/2), so that a reward of the
//                      first epoch is released four times: 4 epsilon
//   off-by-one epoch   the window of an epoch begins one round early, so that the last reward of an
//                      epoch is released twice: 2 epsilon
//   double release     the second half of an epoch asks for N_k again and gets a fresh draw: 2 epsilon
//
// Law. Given the input the decisions are independent Bernoulli of probability
//   P(N_k < m/2) = F(epsilon (m/2 - S_k)),  F the standard Laplace cdf,                        (3)
// but for reused noise Z, where all of them are functions of Z, constant between the points
// m/2 - S_k.                                                                                   (4)
// Threads: a value. Cost of a play: 4 to 8 noises, 0.2 us.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/faulty/transcript_law.hpp"

namespace assay::faulty {

enum class EpochFault { kNone, kNoiseReused, kCounterNotReset, kOffByOne, kDoubleRelease };

class EpochSwitching {
 public:
  static constexpr std::size_t kHorizon = 20;
  static constexpr std::size_t kEpoch = 4;
  static constexpr double kEpsilon = 1.0;

  explicit EpochSwitching(EpochFault fault);

  void play(std::span<const double> rewards, ReplayStream& random, std::span<double> actions) const;
  TranscriptLaw law(std::span<const double> rewards) const;
  static std::uint64_t cell(std::span<const double> actions) { return transcript_key(actions); }

 private:
  // m/2 - S_k for each epoch after which something is
  // decided: N_k < m/2 where the noise is below it.
  std::vector<double> margins(std::span<const double> rewards) const;

  EpochFault fault_;
  Laplace noise_;
};

}  // namespace assay::faulty
