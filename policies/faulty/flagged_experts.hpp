// Two experts that are followed by private flags, with ties broken on the raw losses.
//
// T = 20 rounds in epochs of m = 4; the losses of both experts are seen in every round. The first
// epoch follows expert 1. After an epoch, for its sums L_1 and L_2,
//   expert i is flagged as good where L_i + Laplace(2/epsilon) < m/2                           (1)
//   the next epoch follows the flagged expert; where both or none are flagged, expert 1        (2)
//
// Privacy of the correct twin. Relation: replace one round's loss vector. View: the actions.
// epsilon-DP: a vector moves each sum by at most 1, so each flag is (epsilon/2)-DP and the two
// compose (Dwork, McSherry, Nissim, Smith, TCC 2006); every vector is in one epoch only (McSherry,
// SIGMOD 2009, theorem 4, parallel composition).
// The fault: a tie is broken in favour of the smaller raw sum, which at small epsilon decides every
// other epoch. Where the sums are (2, 3) on one input and (3, 2) on the other, expert 2 is followed
// with probability a b and 1 - a b, a = 1/2, b = e^(-epsilon/2)/2: log(1/(a b) - 1), 1.722 at
// epsilon = 1.
//
// Law. Epochs are independent given the input; in each the four pairs of flags have products of
// Laplace probabilities.                                                                       (3)
// Threads: a value. Cost of a play: 8 noises, 0.2 us.
#pragma once

#include <span>

#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/faulty/transcript_law.hpp"

namespace assay::faulty {

class FlaggedExperts {
 public:
  static constexpr std::size_t kHorizon = 20;
  static constexpr std::size_t kEpoch = 4;
  static constexpr double kEpsilon = 1.0;

  explicit FlaggedExperts(bool faulty);

  // losses: both experts', round by round.
  void play(std::span<const double> losses, ReplayStream& random, std::span<double> actions) const;
  TranscriptLaw law(std::span<const double> losses) const;
  static std::uint64_t cell(std::span<const double> actions) { return transcript_key(actions); }

 private:
  // Whom a tie is broken in favour of.
  bool favourite(double first_loss, double second_loss) const {
    return faulty_ && second_loss < first_loss;
  }

  bool faulty_;
  Laplace noise_;
};

}  // namespace assay::faulty
