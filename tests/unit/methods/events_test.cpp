// Events of scores that are numbers, atoms, infinities and NaN, and what their counts say.
#include "assay/auditors/methods/events.hpp"

#include "assay/auditors/methods/black_box/event_evidence.hpp"
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
  const double base_scores[] = {0.0, 1.0, kNaN},
               neighbour_scores[] = {2.0, kInfinity, -1.0, kNaN, kNaN};
  SelectedEvent selected{.event = {score_rank(1.0), score_rank(kInfinity), true}};
  const auto count = [&] {
    const auto counts = count_event(selected, base_scores, neighbour_scores);
    return std::array{counts.x, counts.n, counts.y, counts.m};
  };
  EXPECT_EQ(count(), (std::array<std::int64_t, 4>{1, 3, 2, 5}));
  selected.orientation = EventOrientation::kNeighbourAboveBase;
  EXPECT_EQ(count(), (std::array<std::int64_t, 4>{2, 5, 1, 3}));
  selected.event.inside = false;
  EXPECT_EQ(count(), (std::array<std::int64_t, 4>{3, 5, 2, 3}));
}

TEST(Events, CellsAreScoredByTheirSmoothedLogRatio) {
  const std::int64_t base_cells[] = {1, 1, 1, 2}, neighbour_cells[] = {1, 2, 2, 3};
  const CellScore score(base_cells, neighbour_cells);
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
  EXPECT_EQ(visible(2), kInfinity);
  const double q = 0.2 / (1.0 + std::exp(visible(500)));
  EXPECT_NEAR(exact_test_power(500, 500, 0.05, Epsilon{1.0}, Delta{0.0}, 0.2 - q, q), 0.9, 0.005);
}

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

// The words, read back as a rule, agree with the event at every one of these.
TEST(EventWords, SayWhichScoresTheEventHolds) {
  const std::int64_t one = score_rank(1.0), three = score_rank(3.0);
  EXPECT_EQ(event_words({one, kHighest, true}), "the score is at least 1");
  EXPECT_EQ(event_words({one, kHighest, false}), "the score is below 1");
  EXPECT_EQ(event_words({kLowest, three - 1, true}), "the score is below 3");
  EXPECT_EQ(event_words({kLowest, three - 1, false}), "the score is at least 3");
  EXPECT_EQ(event_words({one, three - 1, true}), "the score is at least 1 and below 3");
  EXPECT_EQ(event_words({one, three - 1, false}), "the score is below 1 or at least 3");
  EXPECT_EQ(event_words({one, one, true}), "the score is 1");
  EXPECT_EQ(event_words({one, one, false}), "the score is not 1");
  EXPECT_EQ(event_words({score_rank(-0.5), score_rank(-0.25) - 1, true}),
            "the score is at least -0.5 and below -0.25");
  EXPECT_EQ(event_words({kLowest, kHighest, true}), "any score");
  EXPECT_EQ(event_words({kLowest, kHighest, false}), "no score");
  const ScoreEvent between{one, three - 1, true};
  EXPECT_TRUE(between.contains(1.0));
  EXPECT_TRUE(between.contains(2.9999999999999996));
  EXPECT_FALSE(between.contains(3.0));
}

TEST(EventEvidence, CountsBothSidesAndDrawsEveryPlay) {
  const std::vector<double> base_scores = {0, 1, 2, 3, 4, kInfinity, kNaN, -kInfinity};
  const std::vector<double> neighbour_scores = {0, 0, 0, 4};
  const auto seen =
      event_evidence("sum", {score_rank(2.0), kHighest, true}, base_scores, neighbour_scores);
  EXPECT_EQ(seen.base_runs, 8);
  EXPECT_EQ(seen.base_hits, 5);  // 2, 3, 4, +infinity and NaN
  EXPECT_EQ(seen.neighbour_runs, 4);
  EXPECT_EQ(seen.neighbour_hits, 1);
  ASSERT_EQ(seen.scores.edges.size(), 41U);
  EXPECT_EQ(seen.scores.edges.front(), 0.0);
  EXPECT_DOUBLE_EQ(seen.scores.edges.back(), 4.0);
  for (const auto& side : {seen.scores.side_base, seen.scores.side_neighbour}) {
    ASSERT_EQ(side.size(), 40U);
    EXPECT_DOUBLE_EQ(std::accumulate(side.begin(), side.end(), 0.0), 1.0);
  }
  EXPECT_DOUBLE_EQ(seen.scores.side_base.front(), 0.25);  // 0 and -infinity
  EXPECT_DOUBLE_EQ(seen.scores.side_base.back(), 0.375);  // 4, +infinity and NaN
  EXPECT_DOUBLE_EQ(seen.scores.side_neighbour.front(), 0.75);
}

TEST(EventEvidence, OfOneValueOrNoneHasOneBin) {
  const std::vector<double> same = {2, 2, 2}, none;
  const auto seen = event_evidence("sum", {score_rank(2.0), score_rank(2.0), true}, same, none);
  ASSERT_EQ(seen.scores.edges.size(), 2U);
  EXPECT_EQ(seen.scores.side_base.front(), 1.0);
  EXPECT_EQ(seen.scores.side_neighbour.front(), 0.0);
  EXPECT_EQ(event_evidence("sum", {}, none, none).scores.edges.size(), 2U);
}

}  // namespace
}  // namespace assay
