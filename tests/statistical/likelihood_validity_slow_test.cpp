// The test of likelihood_validity_test.cpp at a level where misses are many.
#include "assay/tests/support/likelihood_validity.hpp"

namespace assay {
namespace {

using namespace validity;

class ManyMisses : public ::testing::TestWithParam<int> {};

TEST_P(ManyMisses, NoIntervalMissesTheTruthMoreOftenThanItsShareOfAlphaAllows) {
  expect_valid_intervals(cases()[static_cast<std::size_t>(GetParam())], 0.3, 2000);
}

INSTANTIATE_TEST_SUITE_P(ThreePairs, ManyMisses, ::testing::Values(0, 1, 2));

}  // namespace
}  // namespace assay
