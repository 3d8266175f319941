// Planted errors in claims: a constant off by a few percent, a bound that misses a factor. The search
// has to convict each, and the box certifier must not certify one; the correct twin is acquitted.
#include <gtest/gtest.h>

#include <cmath>

#include "assay/auditors/bandits/claims/searches.hpp"
#include "assay/auditors/claims/search/box_certifier.hpp"
#include "assay/mechanisms/accounting/gdp.hpp"

namespace assay {
namespace {

namespace claims = thompson_sampling_checks;

SearchPlan plan(std::int64_t points, std::string_view purpose) {
  SearchPlan p;
  p.points = points;
  p.purpose = purpose;
  return p;
}

bool convicted(const SearchedClaim& claim, std::int64_t points = 4000) {
  return search_violation(claim, plan(points, "faults/claims"), {}).violation.has_value();
}

// The claim with its margin raised: what it states is stronger by that much than what holds.
SearchedClaim stronger_by(SearchedClaim claim, double amount) {
  claim.margin = [margin = claim.margin, amount](const Point& point) {
    return margin(point) + amount;
  };
  return claim;
}

TEST(PlantedClaims, ARoundLevelOnePercentTooSmallIsConvicted) {
  EXPECT_FALSE(convicted(claims::step_gdp_search()));
  EXPECT_TRUE(convicted(stronger_by(claims::step_gdp_search(), 0.01 * std::sqrt(0.5))));
}

TEST(PlantedClaims, ASensitivityOfOneOverNPlusTwoIsConvicted) {
  EXPECT_FALSE(convicted(claims::sensitivity_search()));
  EXPECT_TRUE(convicted(stronger_by(claims::sensitivity_search(), 0.001)));
}

TEST(PlantedClaims, ACompositionOnePercentTooSmallIsConvicted) {
  EXPECT_FALSE(convicted(claims::composition_search(), 500));
  EXPECT_TRUE(convicted(stronger_by(claims::composition_search(), 0.01), 500));
}

TEST(PlantedClaims, ABoundOnTheOddsBelowTheLargestIsConvicted) {
  EXPECT_FALSE(convicted(claims::lemma_9_search(false), 300));
  EXPECT_TRUE(convicted(stronger_by(claims::lemma_9_search(false), std::log(71.0 / 4.0)), 300));
}

// Lemma 5 with b + 1 replaced by b + 2 would promise less than a run leaks in the proof of it.
TEST(PlantedClaims, AnOffByOneInThePrePullsIsConvicted) {
  auto claim = claims::published_level_search(false);
  EXPECT_FALSE(convicted(claim));
  claim.margin = [margin = claim.margin](const Point& point) {
    const double b = point[2] - 1.0;
    return (1.0 + margin(point)) * std::sqrt((b + 2.0) / (b + 1.0)) - 1.0;
  };
  EXPECT_TRUE(convicted(claim));
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
