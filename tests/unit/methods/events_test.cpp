// The event method on scores that are numbers, atoms, infinities and NaN.
#include "assay/auditors/methods/events.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "assay/mechanisms/noise/gaussian.hpp"
#include "assay/mechanisms/random/replay_stream.hpp"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ScoreOrder, NumbersThenInfinityThenNan) {
  const double increasing[] = {-kInfinity, -1e300, -1.0,  -1e-310,   0.0,
                               1e-310,     1.0,    1e300, kInfinity, kNan};
  for (std::size_t i = 1; i < std::size(increasing); ++i) {
    EXPECT_LT(score_rank(increasing[i - 1]), score_rank(increasing[i])) << i;
  }
  EXPECT_EQ(score_rank(0.0), score_rank(-0.0));
  EXPECT_EQ(score_rank(kNan), score_rank(-kNan));
  EXPECT_EQ(score_rank(kNan), score_rank(std::numeric_limits<double>::signaling_NaN()));
}

std::vector<double> gaussian_scores(double location, double scale, std::size_t n,
                                    std::uint64_t lane) {
  std::vector<double> scores(n);
  ReplayStream random({9, hash_purpose("events"), 0, lane});
  Gaussian::create(location, scale)->fill(random, std::span<double>(scores));
  return scores;
}

TEST(Events, OrientationAndSideOfTheHalfLineAreFound) {
  const auto low = gaussian_scores(0.0, 1.0, 4000, 0), high = gaussian_scores(1.0, 1.0, 4000, 1);
  EventPlan plan;
  plan.delta = Delta{1e-5};
  const auto evidence = audit_scores(low, high, plan).value();
  EXPECT_GT(evidence.epsilon.value.value, 1.5);
  EXPECT_LT(evidence.epsilon.value.value, 4.38);
  EXPECT_EQ(evidence.counts.n, 3200);
  EXPECT_EQ(evidence.selection_runs, 1600);
  EXPECT_EQ(evidence.alpha, 0.05);
  plan.orientation = EventOrientation::kOldAboveNew;
  const auto old_above = audit_scores(low, high, plan).value();
  EXPECT_EQ(old_above.selected.orientation, EventOrientation::kOldAboveNew);
  EXPECT_TRUE(old_above.selected.event.contains(-9.0));
  EXPECT_FALSE(old_above.selected.event.contains(9.0));
  plan.orientation = EventOrientation::kNewAboveOld;
  EXPECT_TRUE(audit_scores(low, high, plan)->selected.event.contains(9.0));
}

TEST(Events, TheCertifiedPartHasNoInfluenceOnTheSelection) {
  auto low = gaussian_scores(0.0, 1.0, 1000, 2), high = gaussian_scores(0.5, 1.0, 1000, 3);
  const auto before = audit_scores(low, high, {}).value();
  for (std::size_t i = 200; i < 1000; ++i) std::swap(low[i], high[i]);
  const auto after = audit_scores(low, high, {}).value();
  EXPECT_EQ(before.selected.event.low, after.selected.event.low);
  EXPECT_EQ(before.selected.event.high, after.selected.event.high);
  EXPECT_EQ(before.selected.orientation, after.selected.orientation);
  EXPECT_EQ(before.counts.x, after.counts.y);
  EXPECT_EQ(after.epsilon.value.value, 0.0);
}

TEST(Events, IntervalsSeeADifferenceOfScaleThatHalfLinesHardlySee) {
  const auto wide = gaussian_scores(0.0, 4.0, 2000, 4), narrow = gaussian_scores(0.0, 1.0, 2000, 5);
  EventPlan plan;
  plan.orientation = EventOrientation::kNewAboveOld;
  const double half_line = audit_scores(wide, narrow, plan)->epsilon.value.value;
  plan.events = EventClass::kIntervals;
  const double interval = audit_scores(wide, narrow, plan)->epsilon.value.value;
  EXPECT_GT(interval, 0.8);
  EXPECT_LT(half_line, 0.6);
}

// NaN, an infinity or an atom that only one side has.
TEST(Events, ASpecialValueOfOneSideIsAnEvent) {
  for (const double special : {kNan, kInfinity, -kInfinity, 0.25}) {
    auto plain = gaussian_scores(0.0, 1.0, 2000, 6), odd = gaussian_scores(0.0, 1.0, 2000, 7);
    for (std::size_t i = 0; i < odd.size(); i += 10) odd[i] = special;
    EventPlan plan;
    plan.events = EventClass::kIntervals;
    // The inner cuts are spread over the pooled scores: the value of many scores has its own.
    const auto evidence = audit_scores(plain, odd, plan).value();
    EXPECT_EQ(evidence.selected.orientation, EventOrientation::kNewAboveOld) << special;
    EXPECT_TRUE(evidence.selected.event.contains(special)) << special;
    EXPECT_GT(evidence.epsilon.value.value, 2.3) << special;
  }
}

TEST(Events, IdenticalConstantScoresSayNothing) {
  const std::vector<double> same(500, 3.0);
  for (const auto events : {EventClass::kHalfLines, EventClass::kIntervals}) {
    EventPlan plan;
    plan.events = events;
    EXPECT_EQ(audit_scores(same, same, plan)->epsilon.value.value, 0.0);
  }
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

TEST(SequentialEvents, AGrossViolationIsRefutedAndTheAuditStaysRefuted) {
  auto audit = SequentialEventAudit::create(Epsilon{0.5}, Delta{0.0}, {}).value();
  const auto low = gaussian_scores(0.0, 1.0, 1000, 8), high = gaussian_scores(4.0, 1.0, 1000, 9);
  std::size_t pairs = 0;
  while (pairs < low.size() && !audit.observe(low[pairs], high[pairs])) ++pairs;
  EXPECT_LT(pairs, 200u);
  EXPECT_TRUE(audit.observe(0.0, 0.0));
  ASSERT_TRUE(audit.event().has_value());
}

TEST(Events, RefusesPlansOutsideTheirRangeAndSaysSo) {
  const std::vector<double> few(5, 0.0), enough(50, 0.0);
  EXPECT_EQ(audit_scores(few, enough, {}).error().to_string(),
            "/scores: each side needs at least 10 scores");
  EventPlan plan;
  plan.selection_share = 1.0;
  EXPECT_EQ(audit_scores(enough, enough, plan).error().to_string(),
            "/selection_share: selection_share must lie in (0, 1)");
  plan = {};
  plan.alpha = 0.7;
  EXPECT_EQ(audit_scores(enough, enough, plan).error().path, "/alpha");
  plan = {};
  plan.delta = Delta{-1.0};
  EXPECT_EQ(audit_scores(enough, enough, plan).error().path, "/delta");
}

}  // namespace
}  // namespace assay
