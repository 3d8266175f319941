#include "assay/auditors/session/internal/toml_guard.hpp"

#include "assay/auditors/session/internal/toml_file.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

TEST(TomlGuard, LetsAStringBeginOnlyWhereTheParserReadsOne) {
  // Behind the quote, a character outside ASCII would be outside every string for the parser.
  for (const std::string before : {"0", "inf", "a", "]", "}", ".", "0.", "\"b\"", "-", "1 "}) {
    for (const std::string quote : {"\"", "'"}) {
      const auto refused = check_toml_text("a = " + before + quote + "\xEF\xBB\xBF", "a.toml");
      ASSERT_FALSE(refused) << before << quote;
      EXPECT_EQ(refused.error().line, 1);
    }
  }
  EXPECT_THAT(check_toml_text("b = 1\na = 0\"\xEF\xBB\xBF", "a.toml").error().to_string(),
              HasSubstr("a.toml:2: has a quote where no string can begin"));
}

TEST(TomlGuard, PassesEveryPlaceOfAString) {
  const std::string text =
      "\"k\xC3\xA9y\" = 'v\xC3\xA9'\n"
      "a = \"\xC3\xA9 \\\" # no comment\" # a comment: \"\xC3\xA9\n"
      "b = [\"x\", 'y',\n  \"z\",\n]\n"
      "c = {\"d\" = \"e\", f = 'g'}\n"
      "[\"table\"]\n[[ \"tables\" ]]\nh = 1\n";
  EXPECT_TRUE(check_toml_text(text, "a.toml"));
  EXPECT_TRUE(detail::parse_toml(text, "a.toml"));
}

}  // namespace
}  // namespace assay
