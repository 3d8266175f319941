// The exact method for distributions on the line. Their privacy profile is known between certified bounds, in
// closed form or composed from the losses of independent coordinates.
//
// Bounds of delta at any eps give all the quantities of a report:
//   eps at delta   by bisection, because delta(eps) does not increase
//   mu             at least the mu through a certified point of the profile; at most that of the
//                  chords between upper bounds (statistics/profile.hpp), and that of the largest loss
// Threads: pure functions. Cost: a few hundred evaluations of delta, 30 ms of mu.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "assay/auditors/methods/pair_evidence.hpp"
#include "assay/mechanisms/core/quantities.hpp"

namespace assay {

struct KnownProfile {
  std::function<Interval<Delta>(Epsilon)> delta;  // of the larger orientation
  Interval<Epsilon> largest_loss;                 // both ends infinite if losses are unbounded
  std::optional<Interval<Mu>> mu;                 // if the pair is a Gaussian one
  std::string how;
};

PairEvidence profile_evidence(const KnownProfile& profile, const PrivacyLevel& claim, Delta delta0);

}  // namespace assay
