// Planted errors in the claims about private dueling bandits: a level, a constant or a bound off by a
// few percent. The search has to convict each; the correct twin is acquitted.
#include <gtest/gtest.h>

#include "assay/auditors/dueling/claims/searches.hpp"
#include "assay/tests/support/stronger_claim.hpp"

namespace assay {
namespace {

namespace duels = dueling_checks;

bool duel_claim_convicted(const SearchedClaim& claim, std::int64_t points) {
  SearchPlan plan;
  plan.points = points;
  plan.climbs = 3;
  plan.purpose = "faults/dueling";
  return search_violation(claim, plan, {}).violation.has_value();
}

TEST(PlantedDuelingClaims, ALevelThreePercentTooSmallIsConvicted) {
  for (const auto& claim : {duels::elimination_privacy_search(), duels::tree_privacy_search(),
                            duels::design_privacy_search(CountNoise::kListing)}) {
    EXPECT_FALSE(duel_claim_convicted(claim, 100));
    EXPECT_TRUE(duel_claim_convicted(stronger_by(claim, 0.03), 100));
  }
}

TEST(PlantedDuelingClaims, InequalitiesOfScoresOffByAPercentAreConvicted) {
  for (const auto& claim : {duels::borda_spread_search(), duels::transitivity_search(),
                            duels::unbiased_set_search(), duels::duel_lower_search()}) {
    EXPECT_FALSE(duel_claim_convicted(claim, 150));
    EXPECT_TRUE(duel_claim_convicted(stronger_by(claim, 0.01), 150));
  }
  EXPECT_FALSE(duel_claim_convicted(duels::borda_lead_doubled_search(), 300));
}

TEST(PlantedDuelingClaims, AKappaOnePercentTooLargeIsConvicted) {
  for (const Kappa kappa : {Kappa::kListing, Kappa::kTheorem}) {
    EXPECT_FALSE(duel_claim_convicted(duels::slope_search(kappa), 100));
    EXPECT_TRUE(duel_claim_convicted(
        stronger_by(duels::slope_search(kappa), 0.01 * kappa_value(kappa)), 100));
  }
}

TEST(PlantedDuelingClaims, ThePhasesBoundWithoutItsLastTermIsConvicted) {
  EXPECT_FALSE(duel_claim_convicted(duels::phase_length_search(), 60));
  EXPECT_TRUE(duel_claim_convicted(stronger_by(duels::phase_length_search(), 1.0), 60));
  EXPECT_FALSE(duel_claim_convicted(duels::kiefer_wolfowitz_search(), 60));
}

// log(2)^2.5 is too small for the one node that a count of two entries reads.
TEST(PlantedDuelingClaims, TheTreesBoundIsConvictedFromTwoEntries) {
  auto claim = duels::tree_accuracy_search();
  EXPECT_FALSE(duel_claim_convicted(claim, 500));
  claim.space[0].low = 2;
  EXPECT_TRUE(duel_claim_convicted(claim, 500));
}

TEST(PlantedDuelingClaims, TheFalseOnesAreConvicted) {
  for (const auto& claim :
       {duels::borda_lead_search(), duels::score_gap_search(), duels::unbiased_phase_search(),
        duels::pulls_search(), duels::duel_regret_search(), duels::score_confidence_search()}) {
    EXPECT_TRUE(duel_claim_convicted(claim, 1500));
  }
}

}  // namespace
}  // namespace assay
