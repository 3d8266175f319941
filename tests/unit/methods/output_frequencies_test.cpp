// What differs between the outputs of a pair: counts by round and action, values of numbers, the largest difference.
#include "assay/auditors/methods/output_frequencies.hpp"

#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

OutputBatch runs_of(std::int64_t width, const std::vector<std::vector<double>>& outputs,
                    std::int64_t each) {
  OutputBatch batch{0, width, {}};
  for (std::int64_t i = 0; i < each; ++i) {
    for (const auto& output : outputs) {
      if (output.empty()) {
        batch.add_failed("fails");
        continue;
      }
      batch.values.insert(batch.values.end(), output.begin(), output.end());
      ++batch.count;
    }
  }
  return batch;
}

InputShape shape_of_bandit(std::int64_t arms, std::int64_t horizon) {
  InputShape shape;
  shape.arms = arms;
  shape.horizon = horizon;
  return shape;
}

TEST(OutputFrequencies, OfActionsAreCountedByRound) {
  const InputShape shape = shape_of_bandit(3, 2);
  const auto seen = output_frequencies(shape, 0, runs_of(2, {{0, 1}, {0, 1}, {0, 1}, {1, 2}}, 50),
                                       runs_of(2, {{0, 0}, {1, 2}}, 50));
  EXPECT_EQ(seen.base_runs, 200);
  EXPECT_EQ(seen.neighbour_runs, 100);
  EXPECT_FALSE(seen.is_exact());
  ASSERT_TRUE(seen.actions);
  EXPECT_EQ(seen.actions->rows, (std::vector<std::int64_t>{0, 1, 2}));
  ASSERT_EQ(seen.actions->rounds.size(), 2u);
  const RoundFrequencies& second = seen.actions->rounds[1];
  EXPECT_EQ(second.first, 2);
  EXPECT_EQ(second.last, 2);
  EXPECT_EQ(second.of_row[1].base, 0.75);
  EXPECT_EQ(second.of_row[1].neighbour, 0.0);
  EXPECT_EQ(second.of_row[2].neighbour, 0.5);
  ASSERT_TRUE(seen.largest);
  EXPECT_EQ(seen.largest->event, "arm 1 is chosen in round 2");
  EXPECT_EQ(seen.largest->frequency.base, 0.75);
  EXPECT_EQ(seen.largest->frequency.neighbour, 0.0);
  EXPECT_FALSE(seen.number);
}

TEST(OutputFrequencies, NameNoDifferenceThatIsWithinChance) {
  const InputShape shape = shape_of_bandit(2, 1);
  const auto seen =
      output_frequencies(shape, 0, runs_of(1, {{0}, {1}}, 8), runs_of(1, {{0}, {0}, {1}}, 5));
  EXPECT_FALSE(seen.largest);
}

TEST(OutputFrequencies, OfLongRunsAreInBlocksAroundTheChangedRound) {
  const InputShape shape = shape_of_bandit(2, 100);
  std::vector<double> base(100, 0.0), neighbour(100, 0.0);
  neighbour[57] = 1.0;  // in round 58
  const auto seen =
      output_frequencies(shape, 49, runs_of(100, {base}, 40), runs_of(100, {neighbour}, 40));
  std::vector<std::pair<std::int64_t, std::int64_t>> blocks;
  for (const auto& rounds : seen.actions->rounds) blocks.emplace_back(rounds.first, rounds.last);
  EXPECT_THAT(blocks,
              ElementsAre(Pair(1, 17), Pair(18, 33), Pair(34, 41), Pair(42, 45), Pair(46, 47),
                          Pair(48, 48), Pair(49, 49), Pair(50, 50), Pair(51, 51), Pair(52, 52),
                          Pair(53, 54), Pair(55, 58), Pair(59, 66), Pair(67, 82), Pair(83, 100)));
  EXPECT_EQ(seen.actions->rounds[11].of_row[1].neighbour, 0.25);
  EXPECT_EQ(seen.largest->event, "arm 0 is chosen in round 58") << "a round by itself";
}

TEST(OutputFrequencies, KeepTheActionsThatDifferMost) {
  const InputShape shape = shape_of_bandit(40, 1);
  const auto seen =
      output_frequencies(shape, 0, runs_of(1, {{31}, {7}}, 50), runs_of(1, {{32}, {7}}, 50));
  EXPECT_EQ(seen.actions->rows.size(), 12u);
  EXPECT_EQ(seen.actions->left_out, 28);
  EXPECT_THAT(seen.actions->rows, AllOf(Contains(31), Contains(32)));
}

TEST(OutputFrequencies, OfADuelCountAnArmAgainstItselfOnce) {
  InputShape shape = shape_of_bandit(2, 1);
  shape.kind = InputKind::kDueling;
  const auto seen =
      output_frequencies(shape, 0, runs_of(2, {{0, 0}}, 40), runs_of(2, {{0, 1}}, 40));
  EXPECT_EQ(seen.actions->rounds[0].of_row[0].base, 1.0);
  EXPECT_EQ(seen.actions->rounds[0].of_row[0].neighbour, 1.0);
  EXPECT_EQ(seen.largest->event, "arm 1 is in the duel of round 1");
}

TEST(OutputFrequencies, HideTheRoundThatTheAdversaryDoesNotSee) {
  InputShape shape = shape_of_bandit(2, 3);
  shape.kind = InputKind::kContextual;
  const auto seen =
      output_frequencies(shape, 1, runs_of(3, {{0, 0, 1}}, 40), runs_of(3, {{0, 0, 0}}, 40));
  EXPECT_TRUE(seen.actions->rounds[1].of_row.empty());
  EXPECT_EQ(seen.largest->event, "arm 0 is chosen in round 3");
}

TEST(OutputFrequencies, ShowRunsThatStopAndTheRecommendation) {
  InputShape shape = shape_of_bandit(2, 2);
  shape.kind = InputKind::kBestArm;
  shape.stops = true;  // rounds, recommendation, rounds completed
  const auto seen = output_frequencies(shape, 0, runs_of(4, {{0, 1, 1, 2}}, 40),
                                       runs_of(4, {{0, kNoAction, 1, 1}}, 40));
  EXPECT_EQ(seen.actions->rows, (std::vector<std::int64_t>{0, 1, kRunOver}));
  ASSERT_EQ(seen.actions->rounds.size(), 3u);
  EXPECT_EQ(seen.actions->rounds[1].of_row[2].neighbour, 1.0);
  EXPECT_EQ(seen.actions->rounds[2].last, 0);
  EXPECT_EQ(seen.actions->rounds[2].of_row[1].base, 1.0);
  EXPECT_EQ(seen.largest->event, "arm 1 is chosen in round 2");
}

TEST(OutputFrequencies, CountFailedRunsBesideTheOthers) {
  const auto seen = output_frequencies(shape_of_bandit(2, 1), 0, runs_of(1, {{0}, {}}, 40),
                                       runs_of(1, {{0}}, 80));
  EXPECT_EQ(seen.failed.base, 0.5);
  EXPECT_EQ(seen.failed.neighbour, 0.0);
  EXPECT_EQ(seen.actions->rounds[0].of_row[0].base, 0.5);
  EXPECT_EQ(seen.largest->event, "the run fails");
}

InputShape shape_of_mechanism(std::int64_t outputs) {
  InputShape shape;
  shape.kind = InputKind::kMechanism;
  shape.outputs = outputs;
  return shape;
}

TEST(OutputFrequencies, OfFewValuesAreThoseOfEachValue) {
  const auto seen = output_frequencies(shape_of_mechanism(2), 0, runs_of(2, {{5, 3}, {5, 1}}, 50),
                                       runs_of(2, {{5, 3}, {5, 1}, {5, 1}, {5, 1}}, 25));
  ASSERT_TRUE(seen.number);
  EXPECT_EQ(seen.number->name, "output 2");
  EXPECT_EQ(seen.number->values, (std::vector<double>{1.0, 3.0}));
  EXPECT_EQ(seen.number->of_value[0].base, 0.5);
  EXPECT_EQ(seen.number->of_value[0].neighbour, 0.75);
  EXPECT_TRUE(seen.number->histogram.edges.empty());
}

TEST(OutputFrequencies, OfManyValuesAreHistograms) {
  std::vector<std::vector<double>> base, neighbour;
  for (int i = 0; i < 100; ++i) {
    base.push_back({0.01 * i});
    neighbour.push_back({0.01 * i + 0.4});
  }
  const auto seen =
      output_frequencies(shape_of_mechanism(1), 0, runs_of(1, base, 2), runs_of(1, neighbour, 2));
  ASSERT_TRUE(seen.number);
  EXPECT_EQ(seen.number->name, "the output");
  EXPECT_TRUE(seen.number->values.empty());
  EXPECT_EQ(seen.number->histogram.edges.size(), 41u);
  ASSERT_TRUE(seen.largest);
  EXPECT_THAT(seen.largest->event, StartsWith("the output is at least "));
  EXPECT_NEAR(seen.largest->frequency.neighbour - seen.largest->frequency.base, 0.4, 0.02);
}

TEST(OutputFrequencies, AlongATranscriptAreExact) {
  const auto seen = frequencies_along(shape_of_bandit(2, 9), 4,
                                      {{{0.5, 0.5}, {0.5, 0.5}}, {{0.25, 0.75}, {0.75, 0.25}}});
  EXPECT_TRUE(seen.is_exact());
  ASSERT_EQ(seen.actions->rounds.size(), 2u);
  EXPECT_EQ(seen.actions->rounds[1].first, 5);
  EXPECT_EQ(seen.actions->rounds[1].of_row[1].base, 0.75);
  ASSERT_TRUE(seen.largest);
  EXPECT_EQ(seen.largest->event, "arm 0 is chosen in round 5");
}

TEST(OutputFrequencies, AlongATranscriptThatShowsNothingHaveNoDifference) {
  EXPECT_FALSE(frequencies_along(shape_of_bandit(2, 1), 1, {{{0.5, 0.5}, {0.5, 0.5}}}).largest);
}

}  // namespace
}  // namespace assay
