// The claims about private dueling bandits as properties: RapidCheck draws from the spaces that
// `assay verify` searches.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "assay/auditors/dueling/claims/searches.hpp"
#include "assay/tests/support/rc_points.hpp"

namespace assay {
namespace {

namespace duels = dueling_checks;

void expect_claim_kept(const SearchedClaim& claim) {
  const Point point = *points_of(claim.space);
  const double margin = claim.margin(point);
  RC_PRE(!std::isnan(margin));
  RC_ASSERT(margin <= claim.tolerance);
}

RC_GTEST_PROP(DuelingClaims, BordaScoresSpreadAsStated, ()) {
  expect_claim_kept(duels::borda_spread_search());
  expect_claim_kept(duels::borda_lead_doubled_search());
}
RC_GTEST_PROP(DuelingClaims, PreferencesAreTransitive, ()) {
  expect_claim_kept(duels::transitivity_search());
}
RC_GTEST_PROP(DuelingClaims, EliminationIsPrivate, ()) {
  expect_claim_kept(duels::elimination_privacy_search());
}
RC_GTEST_PROP(DuelingClaims, TheTreeIsPrivateAndAccurate, ()) {
  expect_claim_kept(duels::tree_privacy_search());
  expect_claim_kept(duels::tree_accuracy_search());
}
RC_GTEST_PROP(DuelingClaims, DesignsArePrivateWithEitherNoise, ()) {
  expect_claim_kept(duels::design_privacy_search(CountNoise::kListing));
  expect_claim_kept(duels::design_privacy_search(CountNoise::kProof));
}
RC_GTEST_PROP(DuelingClaims, EstimatesOfFixedSetsAreUnbiased, ()) {
  expect_claim_kept(duels::unbiased_set_search());
}
RC_GTEST_PROP(DuelingClaims, GroupPrivacyBoundsPlays, ()) {
  expect_claim_kept(duels::duel_lower_search());
}
RC_GTEST_PROP(DuelingClaims, DesignsAreOptimalAndPhasesAsLongAsStated, ()) {
  expect_claim_kept(duels::kiefer_wolfowitz_search());
  expect_claim_kept(duels::phase_length_search());
}
RC_GTEST_PROP(DuelingClaims, SlopesAreAtLeastKappa, ()) {
  expect_claim_kept(duels::slope_search(Kappa::kListing));
  expect_claim_kept(duels::slope_search(Kappa::kTheorem));
}

bool convicted_by_draws(const SearchedClaim& claim) {
  rc::detail::TestParams params;
  params.seed = 1;
  params.maxSuccess = 2000;
  const auto result = rc::detail::checkProperty(
      rc::detail::toProperty([&] { expect_claim_kept(claim); }), {}, params);
  rc::detail::FailureResult failure;
  return result.match(failure);
}

TEST(DuelingClaimsConvictedByRapidCheck, TheFalseOnesAre) {
  EXPECT_TRUE(convicted_by_draws(duels::score_gap_search()));
  EXPECT_TRUE(convicted_by_draws(duels::duel_regret_search()));
  EXPECT_TRUE(convicted_by_draws(duels::score_confidence_search()));
}

}  // namespace
}  // namespace assay
