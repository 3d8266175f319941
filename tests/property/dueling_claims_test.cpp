// The claims about private dueling bandits as properties: RapidCheck draws from the spaces that
// `assay verify` searches.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "assay/auditors/dueling/claims/searches.hpp"
#include "assay/tests/support/rc_claims.hpp"

namespace assay {
namespace {

namespace duels = dueling_checks;

RC_GTEST_PROP(DuelingClaims, BordaScoresSpreadAsStated, ()) {
  expect_no_violation(duels::borda_spread_search());
  expect_no_violation(duels::borda_lead_doubled_search());
}
RC_GTEST_PROP(DuelingClaims, PreferencesAreTransitive, ()) {
  expect_no_violation(duels::transitivity_search());
}
RC_GTEST_PROP(DuelingClaims, EliminationIsPrivate, ()) {
  expect_no_violation(duels::elimination_privacy_search());
}
RC_GTEST_PROP(DuelingClaims, TheTreeIsPrivateAndAccurate, ()) {
  expect_no_violation(duels::tree_privacy_search());
  expect_no_violation(duels::tree_accuracy_search());
}
RC_GTEST_PROP(DuelingClaims, DesignsArePrivateWithEitherNoise, ()) {
  expect_no_violation(duels::design_privacy_search(CountNoise::kListing));
  expect_no_violation(duels::design_privacy_search(CountNoise::kProof));
}
RC_GTEST_PROP(DuelingClaims, EstimatesOfFixedSetsAreUnbiased, ()) {
  expect_no_violation(duels::unbiased_set_search());
}
RC_GTEST_PROP(DuelingClaims, GroupPrivacyBoundsPlays, ()) {
  expect_no_violation(duels::duel_lower_search());
}
RC_GTEST_PROP(DuelingClaims, DesignsAreOptimalAndPhasesAsLongAsStated, ()) {
  expect_no_violation(duels::kiefer_wolfowitz_search());
  expect_no_violation(duels::phase_length_search());
}
RC_GTEST_PROP(DuelingClaims, SlopesAreAtLeastKappa, ()) {
  expect_no_violation(duels::slope_search(Kappa::kListing));
  expect_no_violation(duels::slope_search(Kappa::kTheorem));
}

TEST(DuelingClaimsConvictedByRapidCheck, TheFalseOnesAre) {
  EXPECT_TRUE(convicted(duels::score_gap_search(), 2000));
  EXPECT_TRUE(convicted(duels::duel_regret_search(), 2000));
  EXPECT_TRUE(convicted(duels::score_confidence_search(), 2000));
}

}  // namespace
}  // namespace assay
