// The largest size at which the pair search is held against brute force.
#include "assay/tests/support/pair_optimum.hpp"

namespace assay {
namespace {

TEST(LargestSearchOptimum, IsFoundWithinFivePercentForEveryKindOfClaim) {
  expect_search_within_five_percent(3, 8);
}

}  // namespace
}  // namespace assay
