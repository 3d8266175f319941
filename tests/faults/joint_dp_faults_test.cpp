// The searches that refute FLIPHAT's joint privacy, against the same policy with the noise that its
// sensitivity asks: the first are convicted, the corrected twin is acquitted wherever one looks.
#include <gtest/gtest.h>

#include "assay/auditors/sparse/claims/joint_dp.hpp"

namespace assay {
namespace {

namespace sparse = sparse_checks;

SearchOutcome searched(const SearchedClaim& claim, std::int64_t points, int climbs) {
  SearchPlan plan;
  plan.points = points;
  plan.climbs = climbs;
  plan.purpose = "faults/joint-dp";
  return search_violation(claim, plan, {});
}

TEST(PlantedJointDp, ThePapersNoiseIsConvicted) {
  for (const auto& claim : {sparse::greedy_sign_search(Calibration::kPaper),
                            sparse::normalized_contexts_search(Calibration::kPaper),
                            sparse::experiments_search(Calibration::kPaper)}) {
    EXPECT_TRUE(searched(claim, 40, 1).violation.has_value());
  }
}

TEST(PlantedJointDp, TheCorrectedTwinIsAcquitted) {
  for (const auto& claim : {sparse::greedy_sign_search(Calibration::kCorrected),
                            sparse::normalized_contexts_search(Calibration::kCorrected),
                            sparse::experiments_search(Calibration::kCorrected)}) {
    const auto outcome = searched(claim, 16, 1);
    EXPECT_FALSE(outcome.best.empty());
    EXPECT_FALSE(outcome.violation.has_value());
  }
}

// Where the paper's noise fails, at the points that the searches shrink to.
TEST(PlantedJointDp, TheCorrectedTwinIsAcquittedWhereThePapersNoiseFails) {
  const auto paper = searched(sparse::greedy_sign_search(Calibration::kPaper), 100, 2);
  ASSERT_TRUE(paper.violation.has_value());
  EXPECT_LE(sparse::greedy_sign_at(*paper.violation, Calibration::kCorrected).true_delta,
            (*paper.violation)[1]);
  const auto normal = searched(sparse::normalized_contexts_search(Calibration::kPaper), 40, 1);
  ASSERT_TRUE(normal.violation.has_value());
  EXPECT_LE(sparse::normalized_contexts_at(*normal.violation, Calibration::kCorrected).true_delta,
            (*normal.violation)[1]);
}

}  // namespace
}  // namespace assay
