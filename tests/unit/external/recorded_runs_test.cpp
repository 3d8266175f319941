#include "assay/policies/external/recorded_runs.hpp"

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

const std::string kHeader =
    R"({"assay_transcripts": 1, "shape": {"kind": "bandit", "arms": 3, "horizon": 2}})";

std::string reading_failure(const std::string& text) {
  const TemporaryFolder folder;
  return error_of(read_recorded_runs(folder.write("a.ndjson", text))).to_string();
}

// Texts, and what is said of each.
void expect_failures(const std::vector<std::pair<std::string, std::string>>& failures) {
  for (const auto& [text, message] : failures) {
    EXPECT_THAT(reading_failure(text), HasSubstr(message));
  }
}

TEST(RecordedRuns, AreReadLineByLine) {
  const TemporaryFolder folder;
  const auto read =
      read_recorded_runs(folder.write("a.ndjson", kHeader + "\n[0, 2]\r\n[1,1]\n\n")).value();
  EXPECT_EQ(read.shape.arms, 3);
  EXPECT_EQ(read.outputs.count, 2);
  EXPECT_EQ(read.outputs.width, 2);
  EXPECT_THAT(read.outputs.values, ElementsAre(0, 2, 1, 1));
}

TEST(RecordedRuns, NameTheLineThatIsWrong) {
  expect_failures(
      {{kHeader + "\n[0, 2]\n[0, 3]\n",
        "a.ndjson:3: the output entry 2 must be an action from 0 to 2, not 3"},
       {kHeader + "\n[0]\n", ":2: the output has 1 actions, not 2"},
       {kHeader + "\n[0, 1\n", ":2: the output is not JSON"},
       {kHeader + "\n\n[0, 1]\n", ":2: a blank line may only come last"},
       {kHeader + "\n", "holds no output"},
       {"", "is empty"},
       {"[0, 1]\n", ":1: the first line must be"},
       {R"({"assay_transcripts": 2})", "format version 2"},
       {R"({"assay_transcripts": 1, "shape": {"kind": "bandit", "arms": 1, "horizon": 2}})",
        "\"shape\" arms must be 2 to 1024, not 1"},
       {R"({"assay_transcripts": 1, "shape": {"kind": "bandti"}})",
        "\"shape\" kind must be bandit | best-arm"},
       {R"({"assay_transcripts": 1, "shape": {"kind": "bandit", "arms": 2}})",
        "\"shape\" lacks horizon"},
       {R"({"assay_transcripts": 1, "shape": {"kind": "mechanism", "arms": 2}})",
        "\"shape\" has the unknown field \"arms\""}});
}

TEST(RecordedRuns, MayStopAndTellNumbers) {
  const TemporaryFolder folder;
  const std::string header =
      R"({"assay_transcripts": 1, "shape": {"kind": "best-arm", "arms": 2, "horizon": 2, )"
      R"("stops": true, "numbers": 1, "estimates": 1}})";
  const auto read =
      read_recorded_runs(folder.write("a.ndjson", header + "\n[1, 0.5]\n[0, -1.5, 1, \"inf\"]\n"
                                                           "[0, 1, 1, 2, 0, 0.25]\n"))
          .value();
  EXPECT_TRUE(read.shape.stops);
  EXPECT_EQ(read.shape.numbers, 1);
  EXPECT_EQ(read.shape.estimates, 1);
  EXPECT_EQ(read.outputs.count, 3);
  EXPECT_EQ(read.outputs.width, 7);
  EXPECT_THAT(told_of(read.shape, read.outputs.play(0)), ElementsAre(1, 0.5));
  EXPECT_THAT(told_of(read.shape, read.outputs.play(1)), ElementsAre(0, -1.5, 1, HUGE_VAL));
  EXPECT_THAT(read.outputs.play(2), ElementsAre(0, 1, 1, 2, 0, 0.25, 2));
  expect_failures(
      {{header + "\n[0, 1, 1]\n",
        "a.ndjson:2: the output has 3 entries, not 2 for each completed round, at most "
        "2, and 2 at the end"},
       {header + "\n[\"inf\", 1, 1, 0]\n",
        ":2: the output must have as action of round 1 an action from 0 to 1, not inf"},
       {header + "\n[0, 1, 0, 1, 0, 1, 0, 1]\n", ":2: the output has more than 6 entries"}});
  const auto with = [](const std::string& field) {
    return R"({"assay_transcripts": 1, "shape": {"kind": "bandit", "arms": 2, "horizon": 2, )" +
           field + "}}";
  };
  expect_failures({{with("\"stops\": 1"), "stops must be true or false"},
                   {with("\"numbers\": true"), "numbers must be an integer"},
                   {with("\"estimates\": -1"), "estimates must be 0 to 1e+06, not -1"},
                   {with("\"inputs\": 1"), "has the unknown field \"inputs\""}});
}

// A line is read against the shape, from left to right.
TEST(RecordedRuns, ALineThatIsNoOutputIsNotReadToItsEnd) {
  expect_failures(
      {{kHeader + "\n" + std::string(1 << 20, '['), ":2: the output entry 1 must be a number"},
       {kHeader + "\n{\"a\": 1}\n", ":2: the output must be an array"},
       {kHeader + "\n[0, 1, 2]\n", ":2: the output has more than 2 actions"},
       {kHeader + "\n[0, 1] 2\n", ":2: the output is not JSON"},
       {std::string(1 << 20, '['), ":1: the first line must have at most 65536 bytes"}});
}

}  // namespace
}  // namespace assay
