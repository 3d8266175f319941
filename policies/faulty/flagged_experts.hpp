// A policy that follows one of two experts by private flags; its fault breaks ties on the raw losses.
//
// T = 20 rounds in epochs of m = 4; the policy sees the losses of both experts in every round. The
// first epoch follows expert 1. After an epoch, with its sums L_1 and L_2,
//   expert i is flagged as good if L_i + Laplace(2/epsilon) < m/2                              (1)
//   the next epoch follows the flagged expert; if both or none are flagged, expert 1           (2)
//
// Privacy of the correct counterpart. Relation: replace one round's loss vector. View: the actions. It
// is epsilon-DP: a vector moves each sum by at most 1, so each flag is (epsilon/2)-DP and the two
// compose (Dwork, McSherry, Nissim, Smith, TCC 2006); every vector is in only one epoch (McSherry,
// SIGMOD 2009, theorem 4, parallel composition).
// The fault: a tie goes to the expert with the smaller raw sum, which at small epsilon decides every
// other epoch. If the sums are (2, 3) on one input and (3, 2) on the other, the probability of
// following expert 2 is a b on one and 1 - a b on the other, with a = 1/2, b = e^(-epsilon/2)/2. The
// loss is log(1/(a b) - 1), 1.722 at epsilon = 1.
//
// Distribution. Epochs are independent given the input. In each of them the four pairs of flags have
// products of Laplace probabilities.                                                           (3)
// Threads: a value. Cost of a run: 8 noises, 0.2 us.
#pragma once

#include <span>

#include "assay/mechanisms/noise/laplace.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"
#include "assay/policies/faulty/transcript_distribution.hpp"

namespace assay::faulty {

class FlaggedExperts {
 public:
  static constexpr std::size_t kHorizon = 20;
  static constexpr std::size_t kEpoch = 4;
  static constexpr double kEpsilon = 1.0;

  explicit FlaggedExperts(bool faulty);

  // `losses` has those of both experts, round by round.
  void play(std::span<const double> losses, ReplayStream& random, std::span<double> actions) const;
  TranscriptDistribution distribution(std::span<const double> losses) const;
  static std::uint64_t cell(std::span<const double> actions) { return transcript_key(actions); }

 private:
  // Whether a tie goes to expert 2.
  bool favourite(double first_loss, double second_loss) const {
    return faulty_ && second_loss < first_loss;
  }

  bool faulty_;
  Laplace noise_;
};

}  // namespace assay::faulty
