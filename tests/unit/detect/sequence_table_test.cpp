// The fault zoo for sequences: what its laws say, without a sample.
#include "assay/policies/faulty/sequence_table.hpp"

#include "assay/mechanisms/numerics/constants.hpp"
#include "assay/policies/faulty/epoch_switching.hpp"
#include "assay/policies/faulty/exploration_count.hpp"
#include "assay/policies/faulty/explored_response.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay::faulty {
namespace {

struct Levels {
  double faulty, counterpart;
};

// By hand, from the headers; the stopping race's twin, 0.72, has no closed form.
std::map<std::string, Levels> levels_by_hand() {
  const double tie = std::log(1.0 / (0.25 * std::exp(-0.5)) - 1.0);
  const double flags = std::log((1.0 - 0.5 * std::exp(-0.5)) / (0.5 * std::exp(-0.5)));
  return {{"noise-reused", {kInfinity, 1.0}},
          {"counter-not-reset", {4.0, 1.0}},
          {"budget-split", {2.0, 1.0}},
          {"raw-tie-breaking", {tie, flags}},
          {"raw-early-stopping", {kInfinity, std::nan("")}},
          {"seed-leaked", {kInfinity, 1.0}},
          {"off-by-one-epoch", {2.0, 1.0}},
          {"double-release", {2.0, 1.0}},
          {"hidden-1e-3", {kInfinity, 0.5}},
          {"hidden-2e-4", {kInfinity, 0.5}}};
}

TEST(SequenceTable, TheExactLevelOfEveryFaultExceedsItsClaimAndThatOfItsCounterpartDoesNot) {
  const auto by_hand = levels_by_hand();
  for (const auto& row : sequence_table()) {
    SCOPED_TRACE(row.name);
    const double faulty = exact_epsilon(row.cells(row.faulty));
    const double counterpart = exact_epsilon(row.cells(row.counterpart));
    EXPECT_GT(faulty, row.claim * 1.5);
    EXPECT_LE(counterpart, row.claim * (1.0 + 1e-9));
    ASSERT_EQ(by_hand.count(row.name), 1u);
    const Levels expected = by_hand.at(row.name);
    if (std::isinf(expected.faulty)) {
      EXPECT_EQ(faulty, kInfinity);
    } else {
      EXPECT_NEAR(faulty, expected.faulty, 1e-9);
    }
    if (!std::isnan(expected.counterpart)) {
      EXPECT_NEAR(counterpart, expected.counterpart, 1e-9);
    }
  }
}

TEST(SequenceTable, DistributionsAreProbabilities) {
  for (const auto& row : sequence_table()) {
    for (const auto* policy : {&row.faulty, &row.counterpart}) {
      for (const auto* input : {&row.base_input, &row.neighbour_input}) {
        double sum = 0.0;
        for (const auto& [cell, probability] : policy->distribution(input->values)) {
          EXPECT_GE(probability, 0.0) << row.name;
          sum += probability;
        }
        EXPECT_NEAR(sum, 1.0, 1e-11) << row.name;
      }
    }
  }
}

TEST(SequenceTable, PairsAreNeighboursThatTheTargetAccepts) {
  for (const auto& row : sequence_table()) {
    EXPECT_TRUE(check_input(row.shape, row.base_input)) << row.name;
    EXPECT_TRUE(check_input(row.shape, row.neighbour_input)) << row.name;
    for (std::int64_t i = 0; i < row.base_input.rows * row.base_input.columns; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool changed = i / row.base_input.columns == row.changed_row;
      EXPECT_TRUE(changed || row.base_input.values[at] == row.neighbour_input.values[at])
          << row.name;
    }
    EXPECT_NE(row.base_input, row.neighbour_input) << row.name;
    EXPECT_NE(row.fault, "");
    EXPECT_NE(row.theorem, "");
  }
}

TEST(SequenceTable, HiddenLeaksAreBeyondEventsOfAFixedProbability) {
  int hidden = 0;
  for (const auto& row : sequence_table()) {
    if (!row.name.starts_with("hidden")) continue;
    ++hidden;
    const auto cells = row.cells(row.faulty);
    for (const auto& side : {cells, exchanged(cells)}) {
      EXPECT_LT(best_event_epsilon(side, 0.01, LeastOf::kLarger), 0.7 * row.claim) << row.name;
      EXPECT_EQ(best_event_epsilon(side, 1e-4, LeastOf::kLarger), kInfinity) << row.name;
    }
  }
  EXPECT_EQ(hidden, 2);
}

TEST(SequenceTable, TargetsPlayTheirRowFromSeedsAlone) {
  const std::vector<std::uint64_t> seeds{1, 2, 3, 1};
  for (const auto& row : sequence_table()) {
    for (const bool counterpart : {false, true}) {
      const auto target = sequence_target(row, counterpart);
      const auto runs = target->play(row.base_input, seeds).value();
      ASSERT_EQ(runs.count, 4);
      for (std::int64_t i = 0; i < runs.count; ++i) {
        EXPECT_TRUE(check_output(row.shape, runs.play(i))) << row.name;
      }
      EXPECT_THAT(runs.play(3), ::testing::ElementsAreArray(runs.play(0))) << row.name;
      EXPECT_EQ(target->clone().value()->play(row.base_input, seeds).value(), runs) << row.name;
    }
  }
}

// The law that takes all placements of N together, against one that counts placements: the same
// loss, as the placement's 1/C(15, N) cancels.
TEST(ExplorationCount, CellsAreSufficient) {
  const ExplorationCount policy(true);
  const std::vector<double> rewards{1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  std::vector<double> actions(20, 0.0);
  actions[7] = actions[12] = 1.0;
  EXPECT_EQ(ExplorationCount::cell(actions), 4u);
  actions[7] = 0.0;
  actions[9] = 1.0;
  EXPECT_EQ(ExplorationCount::cell(actions), 4u);
  actions[19] = 1.0;
  EXPECT_EQ(ExplorationCount::cell(actions), 5u);
  EXPECT_EQ(policy.distribution(rewards).size(), 32u);
}

// Without noise reuse two decisions of one sum differ; with it they cannot.
TEST(EpochSwitching, ReusedNoiseTiesDecisionsTogether) {
  const std::vector<double> rewards(EpochSwitching::kHorizon, 0.5);
  EXPECT_EQ(EpochSwitching(EpochFault::kNoiseReused).distribution(rewards).size(), 2u);
  EXPECT_EQ(EpochSwitching(EpochFault::kNone).distribution(rewards).size(), 16u);
  EXPECT_EQ(EpochSwitching(EpochFault::kDoubleRelease).distribution(rewards).size(), 256u);
}

TEST(TranscriptDistribution, CellsOfEitherDistributionAreKept) {
  const auto cells = cells_of({{1, 0.5}, {2, 0.5}}, {{2, 0.25}, {3, 0.75}});
  ASSERT_EQ(cells.size(), 3u);
  EXPECT_EQ(cells[0].q, 0.0);
  EXPECT_EQ(cells[2].p, 0.0);
  EXPECT_EQ(exact_epsilon(cells), kInfinity);
  EXPECT_NEAR(exact_epsilon(cells_of({{1, 0.5}, {2, 0.5}}, {{1, 0.25}, {2, 0.75}})), std::log(2.0),
              1e-15);
}

}  // namespace
}  // namespace assay::faulty
