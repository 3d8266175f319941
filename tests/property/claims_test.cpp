// The claims themselves as properties: RapidCheck draws from the spaces that `assay verify` searches.
// It has to convict the false ones too, and shrink what it found.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "assay/auditors/bandits/claims/searches.hpp"
#include "assay/tests/support/rc_claims.hpp"
#include "assay/tests/support/rc_points.hpp"

namespace assay {
namespace {

RC_GTEST_PROP(Claims, OneRoundIsGaussianPrivate, ()) {
  expect_no_violation(thompson_sampling_checks::step_gdp_search());
}
RC_GTEST_PROP(Claims, MeansMoveByTheirSensitivity, ()) {
  expect_no_violation(thompson_sampling_checks::sensitivity_search());
}
RC_GTEST_PROP(Claims, GaussianPrivacyIsDualToItsProfile, ()) {
  expect_no_violation(thompson_sampling_checks::duality_search());
}
RC_GTEST_PROP(Claims, GaussianPrivacyComposesByTheRootOfSquares, ()) {
  expect_no_violation(thompson_sampling_checks::composition_search());
}
RC_GTEST_PROP(Claims, ProvedLevelsNeverExceedPublishedOnes, ()) {
  expect_no_violation(thompson_sampling_checks::published_level_search(false));
  expect_no_violation(thompson_sampling_checks::published_level_search(true));
}
RC_GTEST_PROP(Claims, LemmaSixHolds, ()) {
  expect_no_violation(thompson_sampling_checks::lemma_6_search());
}

TEST(ClaimsConvictedByRapidCheck, TheFalseOnesAre) {
  EXPECT_TRUE(convicted(thompson_sampling_checks::noisy_max_search(), 3000));
  EXPECT_TRUE(convicted(thompson_sampling_checks::step_dp_search(), 3000));
  EXPECT_TRUE(convicted(thompson_sampling_checks::printed_variance_search(), 3000));
}

TEST(ClaimsConvictedByRapidCheck, TheTrueOnesAreNot) {
  EXPECT_FALSE(convicted(thompson_sampling_checks::step_gdp_search(), 3000));
  EXPECT_FALSE(convicted(thompson_sampling_checks::lemma_9_search(false), 3000));
}

// ---- the spaces ---------------------------------------------------------------------------------

std::vector<Parameter> any_space() {
  return {{"whole", 1, 50, ParameterScale::kLinear, true},
          {"count", 1, 1e6, ParameterScale::kLog, true},
          {"share", 0.0, 1.0},
          {"signed", -3.0, 2.0},
          {"delta", 1e-9, 0.5, ParameterScale::kLog}};
}

RC_GTEST_PROP(ParameterSpace, PointsLieInsideAndWholeOnesAreWhole, ()) {
  const auto space = any_space();
  const Point point = *points_of(space);
  for (std::size_t i = 0; i < space.size(); ++i) {
    RC_ASSERT(point[i] >= space[i].low);
    RC_ASSERT(point[i] <= space[i].high);
    if (space[i].whole) RC_ASSERT(point[i] == std::floor(point[i]));
  }
}

RC_GTEST_PROP(ParameterSpace, SimplerPointsStayInsideAndChainsOfThemEnd, ()) {
  const auto space = any_space();
  Point point = *points_of(space);
  int steps = 0;
  for (auto next = simpler_points(space, point); !next.empty();
       next = simpler_points(space, point)) {
    const auto pick =
        static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(next.size())));
    point = next[pick];
    for (std::size_t i = 0; i < space.size(); ++i) {
      RC_ASSERT(point[i] >= space[i].low);
      RC_ASSERT(point[i] <= space[i].high);
    }
    RC_ASSERT(++steps < 200);
  }
}

RC_GTEST_PROP(ParameterSpace, PositionsAndValuesAreInverse, ()) {
  for (Parameter p : any_space()) {
    p.whole = false;
    const double at = *rc::gen::inRange(0, 1001) / 1000.0;
    RC_ASSERT(std::abs(position_of(p, value_at(p, at)) - at) < 1e-12);
  }
}

}  // namespace
}  // namespace assay
