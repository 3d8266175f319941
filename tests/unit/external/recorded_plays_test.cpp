#include "assay/policies/external/recorded_plays.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kHeader =
    R"({"assay_transcripts": 1, "shape": {"kind": "bandit", "arms": 3, "horizon": 2}})";

std::string error_of(const std::string& text) {
  const TemporaryFolder folder;
  const auto read = read_recorded_plays(folder.write("a.ndjson", text));
  EXPECT_FALSE(read);
  return read ? "" : read.error().to_string();
}

TEST(RecordedPlays, AreReadLineByLine) {
  const TemporaryFolder folder;
  const auto read =
      read_recorded_plays(folder.write("a.ndjson", kHeader + "\n[0, 2]\r\n[1,1]\n\n")).value();
  EXPECT_EQ(read.shape.arms, 3);
  EXPECT_EQ(read.outputs.count, 2);
  EXPECT_EQ(read.outputs.width, 2);
  EXPECT_THAT(read.outputs.values, ElementsAre(0, 2, 1, 1));
}

TEST(RecordedPlays, NameTheLineThatIsWrong) {
  EXPECT_THAT(error_of(kHeader + "\n[0, 2]\n[0, 3]\n"),
              HasSubstr("a.ndjson:3: the output entry 2 must be an action from 0 to 2, not 3"));
  EXPECT_THAT(error_of(kHeader + "\n[0]\n"), HasSubstr(":2: the output has 1 actions, not 2"));
  EXPECT_THAT(error_of(kHeader + "\n[0, 1\n"), HasSubstr(":2: the output is not JSON"));
  EXPECT_THAT(error_of(kHeader + "\n\n[0, 1]\n"), HasSubstr(":2: a blank line may only come last"));
  EXPECT_THAT(error_of(kHeader + "\n"), HasSubstr("holds no output"));
  EXPECT_THAT(error_of(""), HasSubstr("is empty"));
  EXPECT_THAT(error_of("[0, 1]\n"), HasSubstr(":1: the first line must be"));
  EXPECT_THAT(error_of(R"({"assay_transcripts": 2})"), HasSubstr("format version 2"));
  EXPECT_THAT(
      error_of(R"({"assay_transcripts": 1, "shape": {"kind": "bandit", "arms": 1, "horizon": 2}})"),
      HasSubstr("\"shape\" arms must be 2 to 1024, not 1"));
  EXPECT_THAT(error_of(R"({"assay_transcripts": 1, "shape": {"kind": "bandti"}})"),
              HasSubstr("\"shape\" kind must be bandit | best-arm"));
  EXPECT_THAT(error_of(R"({"assay_transcripts": 1, "shape": {"kind": "bandit", "arms": 2}})"),
              HasSubstr("\"shape\" lacks horizon"));
  EXPECT_THAT(error_of(R"({"assay_transcripts": 1, "shape": {"kind": "mechanism", "arms": 2}})"),
              HasSubstr("\"shape\" has the unknown field \"arms\""));
}

// A line is read against the shape, from left to right.
TEST(RecordedPlays, ALineThatIsNoOutputIsNotReadToItsEnd) {
  EXPECT_THAT(error_of(kHeader + "\n" + std::string(1 << 20, '[')),
              HasSubstr(":2: the output entry 1 must be a number"));
  EXPECT_THAT(error_of(kHeader + "\n{\"a\": 1}\n"), HasSubstr(":2: the output must be an array"));
  EXPECT_THAT(error_of(kHeader + "\n[0, 1, 2]\n"),
              HasSubstr(":2: the output has more than 2 actions"));
  EXPECT_THAT(error_of(kHeader + "\n[0, 1] 2\n"), HasSubstr(":2: the output is not JSON"));
  EXPECT_THAT(error_of(std::string(1 << 20, '[')),
              HasSubstr(":1: the first line must have at most 65536 bytes"));
}

}  // namespace
}  // namespace assay
