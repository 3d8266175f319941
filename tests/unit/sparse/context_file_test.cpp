// Files of contexts and rewards: what is read, what is refused and where.
#include "assay/policies/sparse/context_file.hpp"

#include "assay/tests/support/run_command.hpp"

namespace assay {
namespace {

class ContextFiles : public ::testing::Test {
 protected:
  std::string written(const std::string& text) { return folder_.write("log.csv", text); }

 private:
  TemporaryFolder folder_;
};

constexpr const char* kThree = "# rewards, contexts\n1,2,3,4\r\n5, 6,-7,8e1\n9,10,11,\"12\"\n\n";

TEST_F(ContextFiles, AreRefusedByLineAndColumn) {
  const auto refused = [&](const char* text) {
    return read_context_rows(written(text), 2, 1).error();
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
  EXPECT_EQ(read_context_rows(written(kThree), 1, 1).error().path, "/arms");
  EXPECT_EQ(read_context_rows(written(kThree), 2, 0).error().path, "/dimension");
  EXPECT_FALSE(read_context_rows("/nowhere/at/all", 2, 1));
}

TEST_F(ContextFiles, BecomeInputsWhole) {
  const auto table = read_context_rows(written(kThree), 2, 1).value();
  EXPECT_EQ(table.rows, 3);
  EXPECT_EQ(table.columns, 4);
  EXPECT_THAT(table.row(0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(table.row(1), ElementsAre(5, 6, -7, 80));
  EXPECT_THAT(table.row(2), ElementsAre(9, 10, 11, 12));
  EXPECT_THAT(read_context_rows(written("\n"), 2, 1).error().message, HasSubstr("no rounds"));
}

}  // namespace
}  // namespace assay
