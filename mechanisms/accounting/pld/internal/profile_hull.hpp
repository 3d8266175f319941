// The least pair above a privacy profile that is the same in both orders, from upper bounds on its values.
#pragma once

#include <vector>

#include "assay/mechanisms/accounting/pld/privacy_loss.hpp"

namespace assay::detail {

struct ProfilePoint {
  double loss = 0.0;
  double delta = 0.0;
};

// Points at or above the profile, at least two, by increasing loss from 0 to at most 700, deltas at most 1. The pair has the chords
// of their convex hull, and beyond the last loss its delta. Rounding stays below 1e-11 of each value, by which the caller
// raises them (docs/proofs/shuffling.md, (1)).
PrivacyLoss hull_of_profile(const std::vector<ProfilePoint>& points);

}  // namespace assay::detail
