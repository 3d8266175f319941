#include "assay/auditors/claims/search/violation_search.hpp"
#include "assay/auditors/claims/search/box_certifier.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// Positive only in a ball of radius 0.02 around (0.3, 0.7), which no random point is likely to hit.
SearchedClaim needle() {
  return {{{"x"}, {"y"}},
          [](const Point& p) { return 4e-4 - std::pow(p[0] - 0.3, 2) - std::pow(p[1] - 0.7, 2); },
          0.0};
}

SearchPlan plan(std::int64_t points) { return SearchPlan{.points = points, .purpose = "test"}; }

TEST(ViolationSearch, ClimbsToAViolationThatRandomPointsMiss) {
  const auto outcome = search_violation(needle(), plan(200), {});
  ASSERT_TRUE(outcome.violation);
  EXPECT_GE(outcome.violation_margin, outcome.margin / 2.0);
  EXPECT_GT(outcome.evaluations, 200);
}

TEST(ViolationSearch, ShrinksToFewDigits) {
  const auto outcome = search_violation(needle(), plan(200), {});
  ASSERT_TRUE(outcome.violation);
  EXPECT_EQ((*outcome.violation)[0], 0.3);
  EXPECT_EQ((*outcome.violation)[1], 0.7);
}

TEST(ViolationSearch, ShrinksWholeNumbersAsFarAsTheMarginAllows) {
  const SearchedClaim claim{{{"n", 1, 1000, ParameterScale::kLog, true}},
                            [](const Point& p) { return p[0] >= 137 ? 1.0 : -1.0; },
                            0.0};
  const auto outcome = search_violation(claim, plan(100), {});
  ASSERT_TRUE(outcome.violation);
  EXPECT_EQ((*outcome.violation)[0], 137.0);
}

TEST(ViolationSearch, KeepsTheShareOfTheMarginThatIsAskedFor) {
  const SearchedClaim claim{
      {{"n", 1, 1000, ParameterScale::kLinear, true}}, [](const Point& p) { return p[0]; }, 0.0};
  auto keep = plan(100);
  EXPECT_EQ((*search_violation(claim, keep, {}).violation)[0], 500.0);
  keep.keep = 0.1;
  EXPECT_EQ((*search_violation(claim, keep, {}).violation)[0], 100.0);
}

TEST(ViolationSearch, IsTheSameForAnyNumberOfThreads) {
  RunControl one;
  const auto a = search_violation(needle(), plan(2000), one);
  const auto b = search_violation(needle(), plan(2000), {.threads = 3});
  EXPECT_EQ(a.best, b.best);
  EXPECT_EQ(a.violation, b.violation);
  EXPECT_EQ(a.evaluations, b.evaluations);
}

TEST(ViolationSearch, OtherSeedsSearchOtherPoints) {
  const SearchedClaim claim{{{"x"}}, [](const Point& p) { return -p[0] - 1.0; }, 0.0};
  auto other = plan(1);
  other.climbs = 0;
  auto first = plan(1);
  first.climbs = 0;
  other.seed = 2;
  EXPECT_TRUE(search_violation(claim, first, {}).best.empty());  // no climb, nothing kept
  first.climbs = other.climbs = 1;
  EXPECT_NE(search_violation(claim, first, {}).evaluations, 0);
}

TEST(ViolationSearch, DoesNotTakeTheErrorOfTheArithmeticForAViolation) {
  const SearchedClaim claim{{{"x"}}, [](const Point&) { return 1e-12; }, 1e-11};
  const auto outcome = search_violation(claim, plan(100), {});
  EXPECT_FALSE(outcome.violation);
  EXPECT_EQ(outcome.margin, 1e-12);
}

TEST(ViolationSearch, PointsOutsideTheClaimAreNoEvidence) {
  const SearchedClaim claim{{{"x"}}, [](const Point&) { return std::nan(""); }, 0.0};
  const auto outcome = search_violation(claim, plan(100), {});
  EXPECT_TRUE(outcome.best.empty());
  EXPECT_FALSE(outcome.violation);
}

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
