// Planted errors in claims: a constant off by a few percent, a bound that misses a factor. The search
// has to convict each, and the box certifier must not certify one; the correct twin is acquitted.
#include <gtest/gtest.h>

#include <cmath>

#include "assay/auditors/bandits/claims/searches.hpp"
#include "assay/auditors/claims/search/box_certifier.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"
#include "assay/tests/support/stronger_claim.hpp"

namespace assay {
namespace {

SearchPlan plan(std::int64_t points, std::string_view purpose) {
  SearchPlan p;
  p.points = points;
  p.purpose = purpose;
  return p;
}

bool sampling_claim_convicted(const SearchedClaim& claim, std::int64_t points = 4000) {
  return search_violation(claim, plan(points, "faults/claims"), {}).violation.has_value();
}

TEST(PlantedClaims, ARoundLevelOnePercentTooSmallIsConvicted) {
  EXPECT_FALSE(sampling_claim_convicted(thompson_sampling_checks::step_gdp_search()));
  EXPECT_TRUE(sampling_claim_convicted(
      stronger_by(thompson_sampling_checks::step_gdp_search(), 0.01 * std::sqrt(0.5))));
}

TEST(PlantedClaims, ASensitivityOfOneOverNPlusTwoIsConvicted) {
  EXPECT_FALSE(sampling_claim_convicted(thompson_sampling_checks::sensitivity_search()));
  EXPECT_TRUE(
      sampling_claim_convicted(stronger_by(thompson_sampling_checks::sensitivity_search(), 0.001)));
}

TEST(PlantedClaims, ACompositionOnePercentTooSmallIsConvicted) {
  EXPECT_FALSE(sampling_claim_convicted(thompson_sampling_checks::composition_search(), 500));
  EXPECT_TRUE(sampling_claim_convicted(
      stronger_by(thompson_sampling_checks::composition_search(), 0.01), 500));
}

TEST(PlantedClaims, ABoundOnTheOddsBelowTheLargestIsConvicted) {
  EXPECT_FALSE(sampling_claim_convicted(thompson_sampling_checks::lemma_9_search(false), 300));
  EXPECT_TRUE(sampling_claim_convicted(
      stronger_by(thompson_sampling_checks::lemma_9_search(false), std::log(71.0 / 4.0)), 300));
}

// Lemma 5 with b + 1 replaced by b + 2 would promise less than a run leaks in the proof of it.
TEST(PlantedClaims, AnOffByOneInThePrePullsIsConvicted) {
  auto claim = thompson_sampling_checks::published_level_search(false);
  EXPECT_FALSE(sampling_claim_convicted(claim));
  claim.margin = [margin = claim.margin](const Point& point) {
    const double b = point[2] - 1.0;
    return (1.0 + margin(point)) * std::sqrt((b + 2.0) / (b + 1.0)) - 1.0;
  };
  EXPECT_TRUE(sampling_claim_convicted(claim));
}

// Theorem 8 with alpha T/8 in place of alpha T/4, bounded over cells as the check does.
BoxOutcome renyi_box(double factor) {
  const std::vector<Parameter> box{{"T", 1.0, 100.0, ParameterScale::kLog},
                                   {"alpha - 1", 1e-2, 1e2, ParameterScale::kLog},
                                   {"delta", 1e-6, 0.5, ParameterScale::kLog}};
  const auto slack = [factor](const Cell& cell) {
    const double least =
        factor * (1.0 + cell[1].low) * cell[0].low - std::log(cell[2].high) / cell[1].high;
    return std::log(cell[2].low) -
           gdp_log_delta(Mu{std::sqrt(cell[0].high / 2.0)}, Epsilon{std::max(0.0, least)});
  };
  return certify_box(box, slack, 2'000'000, {});
}

TEST(PlantedClaims, ARenyiBoundWithHalfTheConstantIsNotCertified) {
  EXPECT_TRUE(renyi_box(0.25).certified);
  EXPECT_FALSE(renyi_box(0.125).certified);
}

}  // namespace
}  // namespace assay
