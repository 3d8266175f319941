// Planted errors in the claims about sparse linear bandits: a constant or a bound off by a few percent,
// a step of a proof left out. The search has to convict each; the correct twin is acquitted.
#include <gtest/gtest.h>

#include <cmath>

#include "assay/auditors/sparse/claims/searches.hpp"
#include "assay/auditors/sparse/peeling_composition.hpp"
#include "assay/mechanisms/numerics/portable_math.hpp"
#include "assay/tests/support/stronger_claim.hpp"

namespace assay {
namespace {

namespace sparse = sparse_checks;

bool sparse_claim_convicted(const SearchedClaim& claim, std::int64_t points) {
  SearchPlan plan;
  plan.points = points;
  plan.climbs = 3;
  plan.purpose = "faults/sparse";
  return search_violation(claim, plan, {}).violation.has_value();
}

TEST(PlantedSparseClaims, InequalitiesOffByAPercentAreConvicted) {
  for (const auto& claim : {sparse::projection_search(), sparse::laplace_tails_search(),
                            sparse::peeling_contracts_search()}) {
    EXPECT_FALSE(sparse_claim_convicted(claim, 2000));
    EXPECT_TRUE(sparse_claim_convicted(stronger_by(claim, 0.01), 2000));
  }
}

// What would hold of the sensitivity: 4 x_max (R + x_max C) eta/n, and B where x_max <= 1/4.
TEST(PlantedSparseClaims, TheCorrectedSensitivityIsAcquittedAndAFewPercentLessAreConvicted) {
  const auto against = [](double factor) {
    auto claim = sparse::sensitivity_search();
    claim.margin = [margin = claim.margin, factor](const Point& point) {
      if (std::isnan(margin(point))) return margin(point);
      const auto found = sparse::gradient_at(point);
      return found.distance / (factor * loss_slope(found.loss) * found.x_max * found.allowed) - 1.0;
    };
    return claim;
  };
  EXPECT_FALSE(sparse_claim_convicted(against(2.0), 5000));
  EXPECT_TRUE(sparse_claim_convicted(against(1.8), 5000));
  auto narrow = sparse::sensitivity_search();
  narrow.space[4].high = 0.25;
  EXPECT_FALSE(sparse_claim_convicted(narrow, 5000));
  narrow.space[4].high = 0.3;
  EXPECT_TRUE(sparse_claim_convicted(narrow, 5000));
}

TEST(PlantedSparseClaims, AClipAtTwiceTheRootOfTheLogarithmIsAcquitted) {
  const auto claim = sparse::clipping_search();
  EXPECT_TRUE(sparse_claim_convicted(claim, 50));
  EXPECT_FALSE(sparse_claim_convicted(stronger_by(claim, -0.12), 50));
}

// A peeling whose noise is a third too small at the edge of what is proved passes delta by its values
// alone; Lemma A.2's does not.
TEST(PlantedSparseClaims, PeelingsNoiseTooSmallIsConvicted) {
  EXPECT_TRUE(sparse_claim_convicted(sparse::peeling_search(), 1000));
  EXPECT_FALSE(sparse_claim_convicted(sparse::peeling_range_search(), 1000));
  const PeeledEntries paper{10, paper_peeling_shift(10, 1.0, 0.01)};
  const PeeledEntries clean{10, 12.0 * paper.shift};
  EXPECT_LT(peeling_delta_below(paper, 400, Epsilon{1.0}).value().value.value, 0.01);
  EXPECT_GT(peeling_delta_below(clean, 400, Epsilon{1.0}).value().value.value, 0.01);
}

}  // namespace
}  // namespace assay
