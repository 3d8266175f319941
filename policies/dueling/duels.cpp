#include "assay/policies/dueling/duels.hpp"

#include "assay/mechanisms/random/binomial_count.hpp"

namespace assay {

Result<PreferenceDuels> PreferenceDuels::create(PreferenceMatrix preferences) {
  ASSAY_TRY(check_preferences(preferences));
  return PreferenceDuels(std::move(preferences));
}

PreferenceDuels::PreferenceDuels(PreferenceMatrix preferences)
    : preferences_(std::move(preferences)) {
  const std::int64_t arms = preferences_.arms;
  for (std::int64_t i = 0; i < arms; ++i) {
    for (std::int64_t j = 0; j < arms; ++j) {
      thresholds_.push_back(i <= j ? probability_threshold(preferences_.of(i, j))
                                   : kSureThreshold - probability_threshold(preferences_.of(j, i)));
    }
  }
}

Result<RecordedOutcomes> RecordedOutcomes::create(std::int64_t arms, InputTable outcomes) {
  ASSAY_TRY(check_input(duel_shape(arms, outcomes.rows), outcomes));
  return RecordedOutcomes(arms, std::move(outcomes));
}

}  // namespace assay
