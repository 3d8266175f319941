// The claims about sparse linear bandits as properties: RapidCheck draws from the spaces that `assay
// verify` searches.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "assay/auditors/sparse/claims/searches.hpp"
#include "assay/tests/support/rc_points.hpp"

namespace assay {
namespace {

namespace sparse = sparse_checks;

void expect_kept(const SearchedClaim& claim) {
  const Point point = *points_of(claim.space);
  const double margin = claim.margin(point);
  RC_PRE(!std::isnan(margin));
  RC_ASSERT(margin <= claim.tolerance);
}

RC_GTEST_PROP(SparseClaims, ProjectionsMoveNoPointsApart, ()) {
  expect_kept(sparse::projection_search());
}
RC_GTEST_PROP(SparseClaims, WhatPeelingLeavesOutIsSmall, ()) {
  expect_kept(sparse::peeling_contracts_search());
}
RC_GTEST_PROP(SparseClaims, LaplaceTailsAreAsStated, ()) {
  expect_kept(sparse::laplace_tails_search());
}
RC_GTEST_PROP(SparseClaims, ValuesOfPeelingsStayBelowDeltaInTheProvedRange, ()) {
  expect_kept(sparse::peeling_range_search());
}

// What the true sensitivity, 2 c x_max (R + x_max C) eta/n, would bound.
RC_GTEST_PROP(SparseClaims, NoRecordMovesTheVectorByMoreThanTheCorrectedSensitivity, ()) {
  const auto claim = sparse::sensitivity_search();
  const Point point = *points_of(claim.space);
  RC_PRE(!std::isnan(claim.margin(point)));
  const auto found = sparse::gradient_at(point);
  NihtPlan plan;
  plan.step = found.step;
  plan.projection = found.b_max;
  plan.loss = found.loss;
  NihtBounds bounds;
  bounds.records = found.records;
  bounds.context = found.x_max;
  bounds.reward = found.x_max * found.b_max +
                  found.sigma * std::sqrt(2.0 * std::log(static_cast<double>(found.records)));
  RC_ASSERT(found.distance <= niht_sensitivity(plan, bounds, 1) * (1.0 + 1e-12));
}

bool convicted_by_draws(const SearchedClaim& claim) {
  rc::detail::TestParams params;
  params.seed = 1;
  params.maxSuccess = 2000;
  const auto result =
      rc::detail::checkProperty(rc::detail::toProperty([&] { expect_kept(claim); }), {}, params);
  rc::detail::FailureResult failure;
  return result.match(failure);
}

TEST(SparseClaimsConvictedByRapidCheck, TheFalseOnesAre) {
  EXPECT_TRUE(convicted_by_draws(sparse::sensitivity_search()));
  EXPECT_TRUE(convicted_by_draws(sparse::clipping_search()));
  EXPECT_TRUE(convicted_by_draws(sparse::peeling_search()));
  EXPECT_TRUE(convicted_by_draws(sparse::lower_search()));
}

}  // namespace
}  // namespace assay
