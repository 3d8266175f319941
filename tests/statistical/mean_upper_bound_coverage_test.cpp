// Coverage of mean_upper_bound.
#include <gtest/gtest.h>

#include <vector>

#include "assay/auditors/statistics/betting.hpp"
#include "assay/tests/support/mean_coverage.hpp"

namespace assay {
namespace {

bool misses_by_upper_bound(const std::vector<double>& values, const BettingPlan& plan,
                           double mean) {
  return mean_upper_bound(values, 1.0, plan).value.value < mean;
}

TEST(MeanUpperBoundCoverage, MissesTheMeanNoMoreOftenThanAlpha) {
  expect_coverage(100, misses_by_upper_bound);
}

TEST(MeanUpperBoundCoverage, SurvivesPlansThatAreWrongTenfold) {
  expect_coverage_by_wrong_plans(misses_by_upper_bound);
}

}  // namespace
}  // namespace assay
