
#include <filesystem>
#include <fstream>

#include "assay/policies/inputs/reward_stream.hpp"
#include "assay/tests/support/recorded_rewards.hpp"

namespace assay {
namespace {

class RewardFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            ("assay_" + std::string(test->name()) + "_" +
             std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + ".csv");
  }
  void TearDown() override { std::filesystem::remove(path_); }

  Result<std::vector<double>> read(const std::string& text, std::string_view column = {}) {
    std::ofstream(path_, std::ios::binary) << text;
    const auto table = ASSAY_TRY(read_rewards(path_.string(), column));
    EXPECT_EQ(table.columns, 1);
    EXPECT_EQ(table.rows, static_cast<std::int64_t>(table.values.size()));
    return table.values;
  }
  // "line: message" of the error, with the file's name checked and left out.
  std::string error(const std::string& text, std::string_view column = {}) {
    const auto result = read(text, column);
    if (result) return "no error";
    EXPECT_EQ(result.error().path, path_.string());
    const auto shown = result.error().to_string();
    EXPECT_EQ(shown.rfind(path_.string() + ":", 0), 0u);
    return shown.substr(path_.string().size() + 1);
  }

  std::filesystem::path path_;
};

TEST_F(RewardFile, OneRewardPerLineIsRead) {
  EXPECT_THAT(read("0\n0.25\n1\n1e-3\n").value(), ElementsAre(0.0, 0.25, 1.0, 0.001));
}

TEST_F(RewardFile, CommentsBlankEndSpacesAndWindowsLinesAreAccepted) {
  EXPECT_THAT(read("# visits\r\n 0.5 \r\n#\r\n\t1\r\n\r\n\r\n").value(), ElementsAre(0.5, 1.0));
  EXPECT_THAT(read("0.5\n1").value(), ElementsAre(0.5, 1.0));  // no newline at the end
  EXPECT_THAT(read("\xEF\xBB\xBF"
                   "0.5\n")
                  .value(),
              ElementsAre(0.5));
}

TEST_F(RewardFile, AColumnIsReadByName) {
  const std::string text =
      "visit,arm, reward\n1,\"A, left\",0.5\n2,B, 0.75\n3,\"say \"\"B\"\"\",1\n";
  EXPECT_THAT(read(text, "reward").value(), ElementsAre(0.5, 0.75, 1.0));
  EXPECT_THAT(read("# made by hand\nr\n0\n1\n", "r").value(), ElementsAre(0.0, 1.0));
  EXPECT_THAT(read("a,b\n0,\n0.5,\n", "a").value(), ElementsAre(0.0, 0.5));
}

TEST_F(RewardFile, ANumberOutsideTheRangeIsRefusedWithItsLine) {
  EXPECT_EQ(error("0\n1\n1.5\n"), "3: a reward must be 0 to 1, not 1.5");
  EXPECT_EQ(error("-0.1\n"), "1: a reward must be 0 to 1, not -0.1");
  EXPECT_EQ(error("# x\n\t2 \n"), "2: a reward must be 0 to 1, not 2");
}

TEST_F(RewardFile, NanAndInfinityAreRefused) {
  EXPECT_EQ(error("0\nnan\n"), "2: a reward must be a finite number, not 'nan'; 0 to 1 is allowed");
  EXPECT_EQ(error("-inf\n"), "1: a reward must be a finite number, not '-inf'; 0 to 1 is allowed");
}

TEST_F(RewardFile, UnreadableNumbersAreQuoted) {
  EXPECT_EQ(error("0\nhigh\n"), "2: a reward must be a number, not 'high'; 0 to 1 is allowed");
  EXPECT_EQ(error("0.5x\n"), "1: a reward must be a number, not '0.5x'; 0 to 1 is allowed");
  EXPECT_EQ(error("a,b\n1,\n", "b"), "2: a reward must be a number, not ''; 0 to 1 is allowed");
}

TEST_F(RewardFile, AFileWithoutRewardsIsRefused) {
  const std::string message = " holds no rewards; at least one line with a reward is needed";
  EXPECT_EQ(error(""), message);
  EXPECT_EQ(error("# only\n\n"), message);
  EXPECT_EQ(error("reward\n", "reward"), message);
  EXPECT_EQ(error("", "reward"), message);
}

TEST_F(RewardFile, ABlankLineBetweenRewardsIsRefused) {
  EXPECT_EQ(error("0\n\n\n1\n"), "2: is blank; blank lines may only come last");
}

TEST_F(RewardFile, SeveralFieldsNeedAColumn) {
  EXPECT_EQ(error("a,b\n0,1\n"),
            "1: has several fields; name a column with --column, or give one reward per line");
}

TEST_F(RewardFile, AMissingColumnIsRefusedWithTheNearestNameAndAll) {
  EXPECT_EQ(error("arm,reward\n0,1\n", "rewards"),
            "1: has no column 'rewards'; did you mean 'reward'?; its columns are: arm, reward");
}

TEST_F(RewardFile, ADuplicateColumnIsRefused) {
  EXPECT_EQ(error("r,a,r\n0,1,0\n", "r"),
            "1: column 'r' appears twice, as fields 1 and 3; column names must differ");
}

TEST_F(RewardFile, RaggedRowsAreRefused) {
  EXPECT_EQ(error("a,r\n0,1\n0\n", "r"), "3: has 1 fields; the first line names 2 columns");
  EXPECT_EQ(error("a,r\n0,1,\n", "r"), "2: has 3 fields; the first line names 2 columns");
}

TEST_F(RewardFile, BrokenQuotesAreRefused) {
  const std::string message =
      "2: a double quote is not closed, or text follows it before the next comma";
  EXPECT_EQ(error("a,r\n\"0,1\n", "r"), message);
  EXPECT_EQ(error("a,r\n\"0\"1,1\n", "r"), message);
}

// Reading ends with the first that is too many, whatever follows it.
TEST_F(RewardFile, MoreThanAnInputMayHoldAreRefusedWhereTheyBegin) {
  std::string text;
  for (std::int64_t i = 0; i <= kMostInputNumbers; ++i) text += "1\n";
  EXPECT_EQ(error(text + "not a number\n"),
            "4000001: is more than the 4000000 rewards that an input may have");
  EXPECT_EQ(error("r\n" + text + "not a number\n", "r"),
            "4000002: is more than the 4000000 rewards that an input may have");
}

TEST(RewardFiles, AMissingFileIsRefusedWithTheReason) {
  const auto error = error_of(read_rewards("/no/such/file.csv"));
  EXPECT_EQ(error.code, ErrorCode::kIo);
  EXPECT_EQ(error.to_string(), "/no/such/file.csv: cannot be read: No such file or directory");
}

TEST(RewardFiles, AFolderIsRefused) {
  const auto error = error_of(read_rewards(std::filesystem::temp_directory_path().string()));
  EXPECT_THAT(error.message, HasSubstr("cannot be read"));
}

TEST(RewardStreams, AreCheckedRoundByRound) {
  EXPECT_TRUE(check_rewards(RewardStream{0.0, 1.0, 0.5}));
  const auto message = [](RewardStream stream) { return check_rewards(stream).error().message; };
  EXPECT_EQ(message({}), "a reward stream needs at least one reward");
  EXPECT_EQ(message({0.0, 1.0, 1.5}), "the reward of round 3 must be 0 to 1, not 1.5");
  EXPECT_EQ(message({std::nan("")}), "the reward of round 1 must be 0 to 1, not nan");
  EXPECT_EQ(message({0.0, -std::numeric_limits<double>::infinity()}),
            "the reward of round 2 must be 0 to 1, not -inf");
}

TEST(RewardStreams, PayTheRewardOfTheRoundWhicheverArmIsPlayed) {
  const auto environment = RecordedRewards::create({0.25, 0.5, 1.0}).value();
  ReplayStream random({});
  for (const int arm : {0, 1, 7}) {
    EXPECT_EQ(environment.feedback(0, arm, random), 0.25);
    EXPECT_EQ(environment.feedback(2, arm, random), 1.0);
  }
  EXPECT_EQ(RecordedRewards::create({0.5, 2.0}).error().message,
            "the reward of round 2 must be 0 to 1, not 2");
}

TEST(RewardStreams, AdversarialShapesAreAsNamed) {
  EXPECT_THAT(constant_rewards(3, 0.5), ElementsAre(0.5, 0.5, 0.5));
  EXPECT_THAT(alternating_rewards(5, 1.0, 0.0), ElementsAre(1.0, 0.0, 1.0, 0.0, 1.0));
  EXPECT_THAT(step_rewards(5, 2, 0.0, 1.0), ElementsAre(0.0, 0.0, 1.0, 1.0, 1.0));
  EXPECT_THAT(step_rewards(3, 0, 0.0, 1.0), ElementsAre(1.0, 1.0, 1.0));
  EXPECT_THAT(step_rewards(3, 9, 0.0, 1.0), ElementsAre(0.0, 0.0, 0.0));
}

}  // namespace
}  // namespace assay
