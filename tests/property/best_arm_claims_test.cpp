// The claims about private best-arm identification as properties: RapidCheck draws from the spaces that
// `assay verify` searches.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "assay/auditors/best_arm/claims/searches.hpp"
#include "assay/tests/support/rc_claims.hpp"

namespace assay {
namespace {

RC_GTEST_PROP(BestArmClaims, ReleasesWithLaplaceNoiseAreAsPrivateAsStated, ()) {
  expect_no_violation(best_arm_checks::laplace_privacy_search());
}
RC_GTEST_PROP(BestArmClaims, MomentsAreAsPrivateAsStatedUnderTheL1Norm, ()) {
  expect_no_violation(best_arm_checks::moments_search(best_arm_checks::NormReading::kL1));
}
RC_GTEST_PROP(BestArmClaims, TwoRelationsOfTablesHaveTheSameLevel, ()) {
  expect_no_violation(best_arm_checks::table_equivalence_search());
}
RC_GTEST_PROP(BestArmClaims, StoppedPoliciesAgreeAndKeepTheirLevel, ()) {
  expect_no_violation(best_arm_checks::early_stopping_search());
}
RC_GTEST_PROP(BestArmClaims, CoordinatesLieInTheUnitInterval, ()) {
  expect_no_violation(best_arm_checks::max_det_search());
}
RC_GTEST_PROP(BestArmClaims, HardnessIsTheSameByAnotherComputation, ()) {
  expect_no_violation(best_arm_checks::hardness_search());
}

TEST(BestArmClaimsConvictedByRapidCheck, TheFalseOnesAre) {
  constexpr int kDraws = 2000;
  EXPECT_TRUE(convicted(best_arm_checks::gaussian_search(BestArmView::kRelease), kDraws));
  EXPECT_TRUE(convicted(best_arm_checks::gaussian_search(BestArmView::kTranscript), kDraws));
  EXPECT_TRUE(
      convicted(best_arm_checks::moments_search(best_arm_checks::NormReading::kL2), kDraws));
  EXPECT_TRUE(
      convicted(best_arm_checks::moments_search(best_arm_checks::NormReading::kFirstL1), kDraws));
  EXPECT_TRUE(convicted(best_arm_checks::recommendation_search(), kDraws));
  EXPECT_TRUE(convicted(best_arm_checks::later_basis_search(), kDraws));
  EXPECT_TRUE(convicted(best_arm_checks::change_of_measure_search(), kDraws));
  EXPECT_TRUE(convicted(best_arm_checks::budget_search(), kDraws));
}

}  // namespace
}  // namespace assay
