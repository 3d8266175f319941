// A bandit of two arms that explores at random and then follows a randomised response,
// and two ways to get that wrong: a seed that leaks in its actions, and a branch that
// hides below any fixed probability.
//
// Blocks of L + M rounds, as many as the horizon takes. In a block, L rounds play uniformly random
// arms, then
//   b = [the sum of the L rewards is at least L/2], told truthfully with probability
//       rho = e^epsilon'/(1 + e^epsilon')                                                      (1)
// and M rounds play arm 1 + (what is told).
//
// Privacy of the correct twin. Relation: replace one reward. View: the actions. epsilon'-DP: each
// reward is read by one response at most (Warner, JASA 1965; McSherry, SIGMOD 2009, theorem 4), and
// exploration reads none.
//   seed leaked    the response is drawn from the word that drew the arms, as if the generator had
//                  been seeded again: the arms are the word's leading bits, and say whether it told
//                  the truth. Infinite.
//   hidden branch  where all L arms happened to be arm 2, b itself is told. Infinite, by events of
//                  probability 2^-L alone: among events of a probability of at least c > 2^-L the
//                  level is at most epsilon' + 2^-L/c or so, and a search that is confined to them
//                  (c = 0.01 in DP-Sniper) has nothing to find.
//
// Law. In a block the arms are uniform and the answer a Bernoulli; where the word is shared, the
// probability of an answer given arms a is the share of [a, a + 1) 2^-L below rho.             (2)
// Reference: Wang, Xiang, Cheng, Ji, Sun, Wang, "Curator attack: when blackbox differential privacy
// auditing loses its power" (CCS 2024), for leaks in events that auditors are blind to.
// Threads: a value. Cost of a play: a word or two a block, 0.1 us.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/faulty/transcript_law.hpp"

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
  TranscriptLaw law(std::span<const double> rewards) const;
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
