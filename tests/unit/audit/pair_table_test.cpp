#include "assay/auditors/audit/pair_table.hpp"

#include "assay/tests/support/function_target.hpp"
#include "assay/tests/support/stream_pair.hpp"

namespace assay {
namespace {

AuditReport report_of_pair(InputPair inputs, const InputShape& shape) {
  AuditReport report;
  report.pair.inputs = std::move(inputs);
  report.pair.shape = shape;
  return report;
}

AuditReport rewards_of_five_arms() {
  InputTable table = InputTable::zeros(100, 5);
  for (std::int64_t r = 0; r < 100; ++r) table.row(r)[1] = 1.0;
  std::vector<double> row = {0, 1, 1, 0, 0};  // of round 17
  return report_of_pair(InputPair::of(std::move(table), {16, row}),
                        table_shape(InputKind::kBestArm, 5, 100));
}

TEST(ChangeText, NamesRoundAndArm) {
  EXPECT_EQ(change_text(rewards_of_five_arms()), "round 17 of 100, arm 2: 0 -> 1");
  AuditReport losses = rewards_of_five_arms();
  losses.pair.shape.kind = InputKind::kExperts;
  EXPECT_EQ(change_text(losses), "round 17 of 100, expert 2: 0 -> 1");
  AuditReport pulls = rewards_of_five_arms();
  pulls.relation = Relation::kReplaceOneCell;
  EXPECT_EQ(change_text(pulls), "pull 17 of 100, arm 2: 0 -> 1");
}

TEST(ChangeText, OfAStreamNamesTheReward) {
  const auto pair =
      report_of_pair(stream_pair({0, 0, 0, 0.5}, 3, 1.0), table_shape(InputKind::kBandit, 2, 4));
  EXPECT_EQ(change_text(pair), "reward of round 3 of 4: 0 -> 1");
}

TEST(ChangeText, NamesSeveralEntriesAndCountsTheRest) {
  AuditReport pair = rewards_of_five_arms();
  pair.pair.inputs = InputPair::of(InputTable::zeros(3, 6), {1, {1, 0.5, 0.25, 0, 1, 1}});
  EXPECT_EQ(change_text(pair),
            "round 2 of 3: arm 0: 0 -> 1, arm 1: 0 -> 0.5, arm 2: 0 -> 0.25, arm 4: 0 -> 1, and 1 "
            "more");
  pair.pair.inputs = InputPair::of(InputTable::zeros(3, 5), {1, {1, 1, 1, 1, 1}});
  EXPECT_EQ(change_text(pair), "round 2 of 3: all 5 arms: 0 -> 1");
  pair.pair.inputs = InputPair::of(InputTable::zeros(3, 5), {1, {0, 0, 0, 0, 0}});
  EXPECT_EQ(change_text(pair), "round 2 of 3: unchanged");
}

TEST(ChangeText, OfAMechanismNamesTheValue) {
  const auto pair = report_of_pair(InputPair({1, 2, 3}, {1, 2.5, 3}),
                                   {.kind = InputKind::kMechanism, .inputs = 3});
  EXPECT_EQ(change_text(pair), "value 2 of 3 of the input: 2 -> 2.5");
}

TEST(ChangeText, OfAMechanismNamesTheValueThatOneSideLacks) {
  const InputShape shape{.kind = InputKind::kMechanism, .inputs = 3};
  const auto removed = report_of_pair(InputPair({1, 2, 3}, {1, 3}), shape);
  EXPECT_EQ(change_text(removed), "value 2 of the input is removed: 2");
  EXPECT_TRUE(shows_rows(removed));
  EXPECT_EQ(change_text(report_of_pair(InputPair({1, 2}, {1, 2, 7}), shape)),
            "value 3 of the input is added: 7");
}

// 3 arms: arm 0 beats 1 and 2, arm 1 beats 2; in round 2 all the other way around.
TEST(ChangeText, OfDuelsNamesWhoBeatsWhom) {
  InputTable table = InputTable::zeros(2, 9);
  for (std::int64_t r = 0; r < 2; ++r) table.row(r)[1] = table.row(r)[2] = table.row(r)[5] = 1.0;
  const auto shape = table_shape(InputKind::kDueling, 3, 2);
  const auto all = report_of_pair(InputPair::of(table, {1, {0, 0, 0, 1, 0, 0, 1, 1, 0}}), shape);
  EXPECT_EQ(change_text(all), "round 2 of 2: all answers reversed");
  const auto one = report_of_pair(InputPair::of(table, {1, {0, 0, 1, 1, 0, 1, 0, 0, 0}}), shape);
  EXPECT_EQ(change_text(one), "round 2 of 2, arm 0 beats arm 1 -> arm 1 beats arm 0");
  const PairTable drawn = pair_table(one, 8);
  EXPECT_THAT(drawn.columns, ElementsAre("round", "0 v 1", "0 v 2", "1 v 2"));
  EXPECT_THAT(drawn.rows[1], ElementsAre("2", "[0 -> 1]", "0", "1"));
}

TEST(ChangeText, OfContextsNamesTheEntryOfTheVector) {
  InputShape shape = table_shape(InputKind::kContextual, 2, 1);
  shape.dimension = 3;
  const auto pair =
      report_of_pair(InputPair({0, 1, 1, 2, 3, 4, 5, 6}, {0.5, 1, 1, 2, 3, 4, 7, 6}), shape);
  EXPECT_EQ(change_text(pair), "round 1 of 1: arm 0: 0 -> 0.5, x[1,1]: 5 -> 7");
}

TEST(PairTable, DrawsRoundsAndArmsThatReadAlikeOnce) {
  const PairTable table = pair_table(rewards_of_five_arms(), 8);
  EXPECT_THAT(table.columns, ElementsAre("round", "arm 0", "arm 1", "arm 2", "arms 3 to 4"));
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_THAT(table.rows[0], ElementsAre("1 to 16", "0", "1", "0", "0"));
  EXPECT_THAT(table.rows[1], ElementsAre("17", "0", "1", "[0 -> 1]", "0"));
  EXPECT_THAT(table.rows[2], ElementsAre("18 to 100", "0", "1", "0", "0"));
}

TEST(PairTable, LeavesOutRowsAndColumnsButNeverTheChange) {
  InputTable table = InputTable::zeros(50, 40);
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    table.values[i] = static_cast<double>(i % 7) / 8.0;
  }
  std::vector<double> row(table.row(30).begin(), table.row(30).end());
  row[25] = 1.0;
  const auto pair = report_of_pair(InputPair::of(std::move(table), {30, row}),
                                   table_shape(InputKind::kExperts, 40, 50));
  const PairTable drawn = pair_table(pair, 6);
  EXPECT_THAT(drawn.columns, ElementsAre("round", "expert 0", "...", "expert 24", "expert 25",
                                         "expert 26", "...", "expert 39"));
  EXPECT_LE(drawn.rows.size(), 9U);
  std::size_t changes = 0;
  for (const auto& cells : drawn.rows) {
    ASSERT_EQ(cells.size(), drawn.columns.size());
    changes += cells[4].find("->") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(changes, 1U);
}

TEST(PairTable, OfOneEntryARoundHasNoRows) {
  EXPECT_TRUE(pair_table(report_of_pair(stream_pair({0, 1}, 1, 1.0), {}), 8).rows.empty());
}

}  // namespace
}  // namespace assay
