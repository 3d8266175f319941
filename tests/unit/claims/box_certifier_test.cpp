#include "assay/auditors/claims/search/box_certifier.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

const std::vector<Parameter> kUnitSquare{{"x"}, {"y"}};

// x (1 - x) <= least + y^2 on the square, bounded over a cell by its corners.
SlackBound slack_over(double least) {
  return
      [least](const Cell& c) { return least + c[1].low * c[1].low - c[0].high * (1.0 - c[0].low); };
}

TEST(BoxCertifier, CertifiesWhatHoldsWithSlack) {
  const auto outcome = certify_box(kUnitSquare, slack_over(0.251), 1'000'000, {});
  EXPECT_TRUE(outcome.certified);
  EXPECT_GT(outcome.cells, 100);
}

TEST(BoxCertifier, NeverCertifiesWhatFailsSomewhere) {
  const auto outcome = certify_box(kUnitSquare, slack_over(0.2499), 1'000'000, {});
  EXPECT_FALSE(outcome.certified);
  ASSERT_EQ(outcome.open.size(), 2u);
  // The open cell holds a point where the inequality fails: x near 1/2, y near 0.
  EXPECT_NEAR(outcome.open[0].low, 0.5, 0.02);
  EXPECT_NEAR(outcome.open[1].low, 0.0, 0.02);
}

TEST(BoxCertifier, StopsWhenTheCellsRunOut) {
  const auto outcome = certify_box(kUnitSquare, slack_over(0.251), 10, {});
  EXPECT_FALSE(outcome.certified);
  EXPECT_EQ(outcome.cells, 10);
  EXPECT_EQ(outcome.open.size(), 2u);
}

TEST(BoxCertifier, HalvesAlongTheScale) {
  const std::vector<Parameter> decades{{"t", 1e-6, 1e6, ParameterScale::kLog}};
  // 1 <= t + 1/t, bounded on [a, b] by a + 1/b: holds on narrow cells, in few of them.
  const auto outcome = certify_box(
      decades, [](const Cell& c) { return c[0].low + 1.0 / c[0].high - 1.0; }, 10'000, {});
  EXPECT_TRUE(outcome.certified);
  EXPECT_LT(outcome.cells, 200);
}

}  // namespace
}  // namespace assay
