// A bandit policy for two arms that explores at random and then follows a randomised response, and two
// faults of it: a seed that leaks through the actions, and a branch that hides below any fixed probability.
//
// A run consists of blocks of L + M rounds, as many as fit the horizon. In a block, L rounds draw uniformly
// random arms, then the policy reports
//   b = [the sum of the L rewards is at least L/2], truthfully with probability
//       rho = e^epsilon'/(1 + e^epsilon')                                                      (1)
// and M rounds play arm 1 + (the report of b).
//
// Privacy of the correct counterpart. Relation: replace one reward. View: the actions. It is
// epsilon'-DP: at most one response reads each reward (Warner, JASA 1965; McSherry, SIGMOD 2009,
// theorem 4), and exploration reads none.
//   seed leaked    the response uses the random number that drew the arms, as if the generator had
//                  been seeded again. The arms are its leading bits and show whether the report is
//                  true. epsilon is infinite.
//   hidden branch  if all L arms happened to be arm 2, the report is b itself. epsilon is infinite,
//                  but only by events of probability 2^-L. Among events of probability at least c >
//                  2^-L the level is at most about epsilon' + 2^-L/c, so a search that is confined
//                  to them (c = 0.01 in DP-Sniper) has nothing to find.
//
// Distribution. In a block the arms are uniform and the report is a Bernoulli variable. If the two
// share a random number, the probability of a report given arms a is the share of [a, a + 1) 2^-L
// below rho.                                                                                   (2)
// Reference: Wang, Xiang, Cheng, Ji, Sun, Wang, "Curator attack: when blackbox differential privacy
// auditing loses its power" (CCS 2024), for leaks in events that auditors cannot see.
// Threads: a value. Cost of a run: one or two random numbers a block, 0.1 us.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/faulty/transcript_distribution.hpp"

namespace assay::faulty {

enum class ResponseFault { kNone, kSeedLeaked, kHiddenBranch };

struct ExploredResponseShape {
  std::size_t blocks = 1;
  std::size_t explore = 4;  // L
  std::size_t follow = 4;   // M
  double epsilon = 1.0;     // epsilon'
};

class ExploredResponse {
 public:
  ExploredResponse(const ExploredResponseShape& shape, ResponseFault fault);

  std::size_t horizon() const { return shape_.blocks * (shape_.explore + shape_.follow); }
  void play(std::span<const double> rewards, ReplayStream& random, std::span<double> actions) const;
  TranscriptDistribution distribution(std::span<const double> rewards) const;
  static std::uint64_t cell(std::span<const double> actions) { return transcript_key(actions); }

 private:
  bool secret(std::span<const double> rewards, std::size_t block) const;
  // P(the answer is true | the arms are the bits of `arms`).
  double truth_given(std::uint64_t arms) const;

  ExploredResponseShape shape_;
  ResponseFault fault_;
  double truth_;  // rho
};

}  // namespace assay::faulty
