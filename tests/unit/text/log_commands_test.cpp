// Commands that a CI server would read in a log.
#include "assay/auditors/text/safe_text.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

TEST(LogCommands, LoseTheirMarkWhereverAServerReadsIt) {
  EXPECT_EQ(without_log_commands("::error file=a::b"), ": :error file=a::b");
  EXPECT_EQ(without_log_commands("a\n \t::set-env::b\r::c"), "a\n \t: :set-env::b\r: :c");
  EXPECT_EQ(without_log_commands("\xC2\xA0\xE2\x80\x83::error::"),
            "\xC2\xA0\xE2\x80\x83: :error::");
  EXPECT_EQ(without_log_commands("x ##[error]y ##vso[task.a]b ###[c"),
            "x # #[error]y # #vso[task.a]b ## #[c");
  for (const char* same :
       {"", ":", "## Heading", "a::b", "test.py::test_x", "x ##", "##1[", ": :", "a\n:"}) {
    EXPECT_EQ(without_log_commands(same), same);
  }
}

TEST(LogCommands, AreEscapedWhereATextKeepsItsValue) {
  EXPECT_EQ(escaped_json("{\"a\":\"##[error]\"}"), "{\"a\":\"#\\u0023[error]\"}");
  EXPECT_EQ(markup_text("##[group]<"), "#&#35;[group]&lt;");
}

}  // namespace
}  // namespace assay
