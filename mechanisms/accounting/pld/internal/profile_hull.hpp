// The least pair above a privacy profile, from upper bounds on its values.
#pragma once

#include <vector>

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"

namespace assay::detail {

struct ProfilePoint {
  double loss = 0.0;
  double delta = 0.0;
};

// The lower convex hull of points by increasing loss, with delta as a function of e^loss: the mass that Q has at the loss of each
// corner but the first. Beyond the last the slope is 0.
struct ProfileHull {
  double first_slope = 0.0;
  std::vector<ProfilePoint> masses;
};
ProfileHull convex_hull(const std::vector<ProfilePoint>& points);

// Points at or above the profile, at least two, by increasing loss from 0 to at most 700, deltas at most 1. The pair has the chords
// of their convex hull, and beyond the last loss its delta. Rounding stays below 1e-11 of each value, by which the caller
// raises them (docs/proofs/shuffling.md, (1)).
// The first function is for a profile that is the same in both orders. The second takes that of (P, Q) and that of (Q, P), which
// have one value at 0, and gives the distribution of (P, Q).
PrivacyLoss hull_of_profile(const std::vector<ProfilePoint>& points);
PrivacyLoss hull_of_profiles(const std::vector<ProfilePoint>& points,
                             const std::vector<ProfilePoint>& reverse);

}  // namespace assay::detail
