// The claims about RNM-FTNL as properties: RapidCheck
// draws from the spaces that `assay verify` searches.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "assay/auditors/experts/claims/searches.hpp"
#include "assay/tests/support/rc_points.hpp"

namespace assay {
namespace {

namespace claims = expert_checks;

void expect_no_violation(const SearchedClaim& claim) {
  const Point point = *points_of(claim.space);
  const double margin = claim.margin(point);
  RC_PRE(!std::isnan(margin));
  RC_ASSERT(margin <= claim.tolerance);
}

RC_GTEST_PROP(ExpertClaims, LaplaceNoiseIsPrivate, ()) {
  expect_no_violation(claims::privacy_search(LeaderNoise::kLaplace));
}
RC_GTEST_PROP(ExpertClaims, GumbelNoiseIsPrivate, ()) {
  expect_no_violation(claims::privacy_search(LeaderNoise::kGumbel));
}
RC_GTEST_PROP(ExpertClaims, BetterActionsAreChosenMoreOften, ()) {
  expect_no_violation(claims::monotone_search());
}
RC_GTEST_PROP(ExpertClaims, LemmaFiveHolds, ()) {
  expect_no_violation(claims::tail_search(LeaderNoise::kExponential));
}
RC_GTEST_PROP(ExpertClaims, LemmasTwoAndThreeHold, ()) {
  expect_no_violation(claims::lemma_2_search());
  expect_no_violation(claims::lemma_3_search());
}
RC_GTEST_PROP(ExpertClaims, TheAveragedLowerBoundHolds, ()) {
  expect_no_violation(claims::lower_bound_search());
}

bool convicted(const SearchedClaim& claim) {
  rc::detail::TestParams params;
  params.seed = 1;
  params.maxSuccess = 2000;
  const auto result = rc::detail::checkProperty(
      rc::detail::toProperty([&] { expect_no_violation(claim); }), {}, params);
  rc::detail::FailureResult failure;
  return result.match(failure);
}

TEST(ExpertClaimsConvictedByRapidCheck, TheFalseOnesAre) {
  EXPECT_TRUE(convicted(claims::privacy_search(LeaderNoise::kExponential)));
  EXPECT_TRUE(convicted(claims::printed_integral_search()));
  EXPECT_TRUE(convicted(claims::deterministic_regret_search(2.0 * 2.442695)));
}

}  // namespace
}  // namespace assay
