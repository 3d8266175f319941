// Planted errors in the claims about private best-arm identification: a level, a constant or a bound
// off by a few percent. The search has to convict each; the correct twin is acquitted.
#include <gtest/gtest.h>

#include <cmath>

#include "assay/auditors/best_arm/claims/searches.hpp"

namespace assay {
namespace {

bool best_arm_claim_convicted(const SearchedClaim& claim, std::int64_t points) {
  SearchPlan plan;
  plan.points = points;
  plan.climbs = 4;
  plan.purpose = "faults/best-arm";
  return search_violation(claim, plan, {}).violation.has_value();
}

// The claim with its margin raised by a share of the parameter of that index.
SearchedClaim stronger_by_share(SearchedClaim claim, double share, std::size_t parameter) {
  claim.margin = [margin = claim.margin, share, parameter](const Point& point) {
    return margin(point) + share * point[parameter];
  };
  return claim;
}

TEST(PlantedBestArmClaims, ALevelThreePercentTooSmallIsConvicted) {
  EXPECT_FALSE(best_arm_claim_convicted(best_arm_checks::laplace_privacy_search(), 200));
  EXPECT_TRUE(best_arm_claim_convicted(
      stronger_by_share(best_arm_checks::laplace_privacy_search(), 0.03, 3), 200));
  const auto moments = best_arm_checks::moments_search(best_arm_checks::NormReading::kL1);
  EXPECT_FALSE(best_arm_claim_convicted(moments, 150));
  EXPECT_TRUE(best_arm_claim_convicted(stronger_by_share(moments, 0.03, 2), 150));
}

// A stopped run loses less than eps where its last phase was cut, but eps in some.
TEST(PlantedBestArmClaims, AStoppedRunThatClaimsLessThanThePolicyIsConvicted) {
  EXPECT_FALSE(best_arm_claim_convicted(best_arm_checks::early_stopping_search(), 200));
  EXPECT_TRUE(best_arm_claim_convicted(
      stronger_by_share(best_arm_checks::early_stopping_search(), 0.03, 3), 200));
}

TEST(PlantedBestArmClaims, CoordinatesBelowOneAreConvicted) {
  auto claim = best_arm_checks::max_det_search();
  EXPECT_FALSE(best_arm_claim_convicted(claim, 300));
  claim.margin = [margin = claim.margin](const Point& point) { return margin(point) + 0.01; };
  EXPECT_TRUE(best_arm_claim_convicted(claim, 300));
}

// With a twelfth more, the classical constant is not enough before eps = 6.7 at delta = 0.01.
TEST(PlantedBestArmClaims, TheClassicalConstantIsAcquittedBelowOneAndConvictedBeyond) {
  auto below = best_arm_checks::gaussian_search(BestArmView::kRelease);
  below.space[0].high = 1.0;
  EXPECT_FALSE(best_arm_claim_convicted(below, 500));
  EXPECT_TRUE(
      best_arm_claim_convicted(best_arm_checks::gaussian_search(BestArmView::kRelease), 500));
  EXPECT_TRUE(
      best_arm_claim_convicted(best_arm_checks::gaussian_search(BestArmView::kTranscript), 500));
  auto between = best_arm_checks::gaussian_search(BestArmView::kTranscript);
  between.space[0].high = 10.0;  // the release fails there, two arms' transcripts do not
  between.space[1].high = 0.1;
  EXPECT_FALSE(best_arm_claim_convicted(between, 500));
}

}  // namespace
}  // namespace assay
