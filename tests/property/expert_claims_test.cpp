// The claims about RNM-FTNL as properties: RapidCheck
// draws from the spaces that `assay verify` searches.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "assay/auditors/experts/claims/searches.hpp"
#include "assay/tests/support/rc_claims.hpp"

namespace assay {
namespace {

RC_GTEST_PROP(ExpertClaims, LaplaceNoiseIsPrivate, ()) {
  expect_no_violation(expert_checks::privacy_search(LeaderNoise::kLaplace));
}
RC_GTEST_PROP(ExpertClaims, GumbelNoiseIsPrivate, ()) {
  expect_no_violation(expert_checks::privacy_search(LeaderNoise::kGumbel));
}
RC_GTEST_PROP(ExpertClaims, BetterActionsAreChosenMoreOften, ()) {
  expect_no_violation(expert_checks::monotone_search());
}
RC_GTEST_PROP(ExpertClaims, LemmaFiveHolds, ()) {
  expect_no_violation(expert_checks::tail_search(LeaderNoise::kExponential));
}
RC_GTEST_PROP(ExpertClaims, LemmasTwoAndThreeHold, ()) {
  expect_no_violation(expert_checks::lemma_2_search());
  expect_no_violation(expert_checks::lemma_3_search());
}
RC_GTEST_PROP(ExpertClaims, TheAveragedLowerBoundHolds, ()) {
  expect_no_violation(expert_checks::lower_bound_search());
}

TEST(ExpertClaimsConvictedByRapidCheck, TheFalseOnesAre) {
  EXPECT_TRUE(convicted(expert_checks::privacy_search(LeaderNoise::kExponential), 2000));
  EXPECT_TRUE(convicted(expert_checks::printed_integral_search(), 2000));
  EXPECT_TRUE(convicted(expert_checks::deterministic_regret_search(2.0 * 2.442695), 2000));
}

}  // namespace
}  // namespace assay
