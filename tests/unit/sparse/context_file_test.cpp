// Logs of contexts and rewards: what is read, what is refused and where, copies in mid-play.
#include "assay/policies/sparse/context_file.hpp"

#include "assay/tests/support/run_command.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

class ContextFiles : public ::testing::Test {
 protected:
  std::string written(const std::string& text) { return folder_.write("log.csv", text); }
  static std::vector<double> row(ContextLog& log, std::int64_t round) {
    ReplayStream random({.seed = 1});
    const auto contexts = log.context(round, random);
    std::vector<double> out{log.feedback(round, 0, random), log.feedback(round, 1, random)};
    out.insert(out.end(), contexts.values.begin(), contexts.values.end());
    return out;
  }

 private:
  TemporaryFolder folder_;
};

constexpr const char* kThree = "# rewards, contexts\n1,2,3,4\r\n5, 6,-7,8e1\n9,10,11,\"12\"\n\n";

TEST_F(ContextFiles, AreReadRoundByRoundInAnyOrder) {
  auto log = ContextLog::open(written(kThree), 2, 1).value();
  EXPECT_EQ(log.rounds(), 3);
  EXPECT_THAT(row(log, 0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(row(log, 2), ElementsAre(9, 10, 11, 12));
  EXPECT_THAT(row(log, 1), ElementsAre(5, 6, -7, 80));
  EXPECT_THAT(row(log, 1), ElementsAre(5, 6, -7, 80));
  EXPECT_TRUE(log.status());
}

TEST_F(ContextFiles, CopiesPlayOnByThemselves) {
  auto log = ContextLog::open(written(kThree), 2, 1).value();
  row(log, 0);
  ContextLog copy = log;
  EXPECT_THAT(row(copy, 1), ElementsAre(5, 6, -7, 80));
  EXPECT_THAT(row(log, 1), ElementsAre(5, 6, -7, 80));
  EXPECT_THAT(row(copy, 2), ElementsAre(9, 10, 11, 12));
  copy = log;
  EXPECT_THAT(row(copy, 2), ElementsAre(9, 10, 11, 12));
}

TEST_F(ContextFiles, SayWhenTheyChangeUnderAPlay) {
  const auto path = written(kThree);
  auto log = ContextLog::open(path, 2, 1).value();
  written("1,2,3,4\n");
  row(log, 0);
  EXPECT_THAT(row(log, 1), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(row(log, 2), ElementsAre(0, 0, 0, 0));
  ASSERT_FALSE(log.status());
  EXPECT_THAT(log.status().error().message, HasSubstr("it had 3 rounds"));
}

TEST_F(ContextFiles, AreRefusedByLineAndColumn) {
  const auto refused = [&](const char* text) {
    return ContextLog::open(written(text), 2, 1).error();
  };
  const auto bad = refused("1,2,3,4\n1,2,nan,4\n");
  EXPECT_EQ(bad.line, 2);
  EXPECT_THAT(bad.message, AllOf(HasSubstr("column 3"), HasSubstr("1e100")));
  EXPECT_THAT(refused("1,2,3,1e101\n").message, HasSubstr("column 4 is 1e101"));
  // A line of more numbers than anybody asked for is not split to its end.
  const auto many = refused((std::string(8 << 20, ',') + "\n").c_str());
  EXPECT_THAT(many.message, HasSubstr("has more than 4 numbers; 4 are needed"));
  const auto few = refused("#\n1,2,3\n");
  EXPECT_EQ(few.line, 2);
  EXPECT_THAT(few.message, AllOf(HasSubstr("3 numbers; 4"), HasSubstr("2 contexts of 1 entries")));
  EXPECT_EQ(refused("1,2,3,4\n\n1,2,3,4\n").line, 2);
  EXPECT_THAT(refused("1,2,3,\"4\n").message, HasSubstr("quote"));
  EXPECT_THAT(refused("# nothing\n").message, HasSubstr("no rounds"));
  EXPECT_EQ(ContextLog::open(written(kThree), 1, 1).error().path, "/arms");
  EXPECT_EQ(ContextLog::open(written(kThree), 2, 0).error().path, "/dimension");
  EXPECT_THAT(ContextLog::open("/dev/null", 2, 1).error().message, HasSubstr("regular file"));
  EXPECT_FALSE(ContextLog::open("/nowhere/at/all", 2, 1));
}

TEST_F(ContextFiles, BecomeInputsWhole) {
  const auto table = read_context_rows(written(kThree), 2, 1).value();
  EXPECT_EQ(table.rows, 3);
  EXPECT_EQ(table.columns, 4);
  EXPECT_THAT(table.row(1), ElementsAre(5, 6, -7, 80));
  EXPECT_TRUE(RecordedContexts::create(2, 1, table));
  EXPECT_THAT(read_context_rows(written("\n"), 2, 1).error().message, HasSubstr("no rounds"));
}

}  // namespace
}  // namespace assay
