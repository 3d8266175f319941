// Duels between arms of known scores.
#pragma once

#include <vector>

#include "assay/policies/dueling/duels.hpp"
#include "assay/policies/dueling/preference_matrix.hpp"

namespace assay {

inline PreferenceDuels duels_of(const std::vector<double>& scores) {
  return PreferenceDuels::create(preferences_of_scores(scores).value()).value();
}

}  // namespace assay
