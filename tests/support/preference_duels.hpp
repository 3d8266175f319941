// Duels between arms of known scores, and plays of them.
#pragma once

#include "assay/policies/dueling/duels.hpp"
#include "assay/policies/dueling/preference_matrix.hpp"
#include "assay/policies/simulation/play.hpp"
#include "assay/tests/support/seeded_stream.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {

inline PreferenceDuels duels_of(const std::vector<double>& scores) {
  return PreferenceDuels::create(preferences_of_scores(scores).value()).value();
}

// The same streams give the same plays, and another of either kind others.
template <class P>
void expect_determined_by_streams(const P& policy, const PreferenceDuels& duels,
                                  std::int64_t rounds, bool draws = true) {
  const auto actions = [&](std::uint64_t choices, std::uint64_t luck) {
    return play(policy, duels, rounds, seeded_stream(choices), seeded_stream(luck, 1));
  };
  EXPECT_EQ(actions(1, 1), actions(1, 1));
  EXPECT_NE(actions(1, 1), draws ? actions(2, 1) : actions(1, 2));
}

}  // namespace assay
