// Events of scores that are numbers, atoms, infinities and NaN, and what their counts say.
#include "assay/auditors/methods/events.hpp"

#include "assay/auditors/statistics/exact_test.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

TEST(ScoreOrder, NumbersThenInfinityThenNan) {
  const double increasing[] = {-kInfinity, -1e300, -1.0,  -1e-310,   0.0,
                               1e-310,     1.0,    1e300, kInfinity, kNaN};
  for (std::size_t i = 1; i < std::size(increasing); ++i) {
    EXPECT_LT(score_rank(increasing[i - 1]), score_rank(increasing[i])) << i;
  }
  EXPECT_EQ(score_rank(0.0), score_rank(-0.0));
  EXPECT_EQ(score_rank(kNaN), score_rank(-kNaN));
  EXPECT_EQ(score_rank(kNaN), score_rank(std::numeric_limits<double>::signaling_NaN()));
}

TEST(Events, ContainTheirEndsAndASpecialValueIsAnEventOfItsOwn) {
  const ScoreEvent interval{score_rank(-1.0), score_rank(2.0), true};
  const ScoreEvent outside{interval.low, interval.high, false};
  for (const double in : {-1.0, 0.0, 2.0}) {
    EXPECT_TRUE(interval.contains(in)) << in;
    EXPECT_FALSE(outside.contains(in)) << in;
  }
  for (const double out :
       {-kInfinity, std::nextafter(-1.0, -2.0), std::nextafter(2.0, 3.0), kNaN}) {
    EXPECT_FALSE(interval.contains(out)) << out;
    EXPECT_TRUE(outside.contains(out)) << out;
  }
  const double values[] = {-kInfinity, 0.25, kInfinity, kNaN};
  for (const double special : values) {
    const ScoreEvent atom{score_rank(special), score_rank(special), true};
    for (const double value : values) {
      EXPECT_EQ(atom.contains(value), score_rank(value) == score_rank(special)) << value;
    }
  }
}

TEST(Events, AreCountedWithTheSideOfTheOrientationFirst) {
  const double old_scores[] = {0.0, 1.0, kNaN}, new_scores[] = {2.0, kInfinity, -1.0, kNaN, kNaN};
  SelectedEvent selected{.event = {score_rank(1.0), score_rank(kInfinity), true}};
  const auto count = [&] {
    const auto counts = count_event(selected, old_scores, new_scores);
    return std::array{counts.x, counts.n, counts.y, counts.m};
  };
  EXPECT_EQ(count(), (std::array<std::int64_t, 4>{1, 3, 2, 5}));
  selected.orientation = EventOrientation::kNewAboveOld;
  EXPECT_EQ(count(), (std::array<std::int64_t, 4>{2, 5, 1, 3}));
  selected.event.inside = false;
  EXPECT_EQ(count(), (std::array<std::int64_t, 4>{3, 5, 2, 3}));
}

TEST(Events, CellsAreScoredByTheirSmoothedLogRatio) {
  const std::int64_t old_cells[] = {1, 1, 1, 2}, new_cells[] = {1, 2, 2, 3};
  const CellScore score(old_cells, new_cells);
  EXPECT_DOUBLE_EQ(score(1), std::log(3.5 / 1.5));
  EXPECT_DOUBLE_EQ(score(2), std::log(1.5 / 2.5));
  EXPECT_DOUBLE_EQ(score(3), std::log(0.5 / 1.5));
  EXPECT_EQ(score(4), 0.0);
}

TEST(Events, SmallestVisibleViolationLiesAboveTheClaimAndShrinksWithRuns) {
  const auto visible = [](std::int64_t n) {
    return smallest_visible_epsilon(Epsilon{1.0}, Delta{0.0}, 0.1, n, n, 0.05, 0.9).value;
  };
  EXPECT_GT(visible(2000), 1.0);
  EXPECT_LT(visible(2000), visible(500));
  EXPECT_LT(visible(500), std::log(10.0));
  EXPECT_EQ(visible(2), kInfinity);
  const double p = std::exp(visible(500)) * 0.1;
  EXPECT_NEAR(exact_test_power(500, 500, 0.05, Epsilon{1.0}, Delta{0.0}, p, 0.1), 0.9, 0.005);
}

}  // namespace
}  // namespace assay
