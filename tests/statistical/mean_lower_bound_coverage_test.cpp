// Coverage of mean_lower_bound.
#include <gtest/gtest.h>

#include <vector>

#include "assay/auditors/statistics/betting.hpp"
#include "assay/tests/support/mean_coverage.hpp"

namespace assay {
namespace {

bool misses_by_lower_bound(const std::vector<double>& values, const BettingPlan& plan,
                           double mean) {
  return mean_lower_bound(values, plan).value.value > mean;
}

TEST(MeanLowerBoundCoverage, MissesTheMeanNoMoreOftenThanAlpha) {
  expect_coverage(80, misses_by_lower_bound);
}

TEST(MeanLowerBoundCoverage, SurvivesPlansThatAreWrongTenfold) {
  expect_coverage_by_wrong_plans(misses_by_lower_bound);
}

}  // namespace
}  // namespace assay
