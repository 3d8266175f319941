// The claims about sparse linear bandits as properties: RapidCheck draws from the spaces that `assay
// verify` searches.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "assay/auditors/sparse/claims/searches.hpp"
#include "assay/tests/support/rc_claims.hpp"
#include "assay/tests/support/rc_points.hpp"

namespace assay {
namespace {

namespace sparse = sparse_checks;

RC_GTEST_PROP(SparseClaims, ProjectionsMoveNoPointsApart, ()) {
  expect_no_violation(sparse::projection_search());
}
RC_GTEST_PROP(SparseClaims, WhatPeelingLeavesOutIsSmall, ()) {
  expect_no_violation(sparse::peeling_contracts_search());
}
RC_GTEST_PROP(SparseClaims, LaplaceTailsAreAsStated, ()) {
  expect_no_violation(sparse::laplace_tails_search());
}
RC_GTEST_PROP(SparseClaims, ValuesOfPeelingsStayBelowDeltaInTheProvedRange, ()) {
  expect_no_violation(sparse::peeling_range_search());
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

TEST(SparseClaimsConvictedByRapidCheck, TheFalseOnesAre) {
  EXPECT_TRUE(convicted(sparse::sensitivity_search(), 2000));
  EXPECT_TRUE(convicted(sparse::clipping_search(), 2000));
  EXPECT_TRUE(convicted(sparse::peeling_search(), 2000));
  EXPECT_TRUE(convicted(sparse::lower_search(), 2000));
}

}  // namespace
}  // namespace assay
