#include "assay/auditors/methods/black_box/event_evidence.hpp"
#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

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
  const std::vector<double> old_scores = {0, 1, 2, 3, 4, kInfinity, kNaN, -kInfinity};
  const std::vector<double> new_scores = {0, 0, 0, 4};
  const auto seen =
      event_evidence("sum", {score_rank(2.0), kHighest, true}, old_scores, new_scores);
  EXPECT_EQ(seen.old_plays, 8);
  EXPECT_EQ(seen.old_hits, 5);  // 2, 3, 4, +infinity and NaN
  EXPECT_EQ(seen.new_plays, 4);
  EXPECT_EQ(seen.new_hits, 1);
  ASSERT_EQ(seen.scores.edges.size(), 41U);
  EXPECT_EQ(seen.scores.edges.front(), 0.0);
  EXPECT_DOUBLE_EQ(seen.scores.edges.back(), 4.0);
  for (const auto& side : {seen.scores.side_old, seen.scores.side_new}) {
    ASSERT_EQ(side.size(), 40U);
    EXPECT_DOUBLE_EQ(std::accumulate(side.begin(), side.end(), 0.0), 1.0);
  }
  EXPECT_DOUBLE_EQ(seen.scores.side_old.front(), 0.25);  // 0 and -infinity
  EXPECT_DOUBLE_EQ(seen.scores.side_old.back(), 0.375);  // 4, +infinity and NaN
  EXPECT_DOUBLE_EQ(seen.scores.side_new.front(), 0.75);
}

TEST(EventEvidence, OfOneValueOrNoneHasOneBin) {
  const std::vector<double> same = {2, 2, 2}, none;
  const auto seen = event_evidence("sum", {score_rank(2.0), score_rank(2.0), true}, same, none);
  ASSERT_EQ(seen.scores.edges.size(), 2U);
  EXPECT_EQ(seen.scores.side_old.front(), 1.0);
  EXPECT_EQ(seen.scores.side_new.front(), 0.0);
  EXPECT_EQ(event_evidence("sum", {}, none, none).scores.edges.size(), 2U);
}

}  // namespace
}  // namespace assay
