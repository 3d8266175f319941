// The largest sizes at which the pair search is held against brute force.
#include <gtest/gtest.h>

#include "assay/tests/support/pair_optimum.hpp"

namespace assay {
namespace {

class LargeSearchOptimum : public ::testing::TestWithParam<std::pair<std::int64_t, std::int64_t>> {
};

TEST_P(LargeSearchOptimum, IsFoundWithinFivePercentForEveryKindOfClaim) {
  const auto [arms, horizon] = GetParam();
  expect_search_within_five_percent(arms, horizon);
}

INSTANTIATE_TEST_SUITE_P(UpToEightRounds, LargeSearchOptimum,
                         ::testing::Values(std::pair{2, 8}, std::pair{3, 6}, std::pair{3, 7},
                                           std::pair{3, 8}));

}  // namespace
}  // namespace assay
