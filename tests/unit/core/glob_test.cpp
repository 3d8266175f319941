// Glob patterns against known cases, and against the recursive definition on every short text.
#include "assay/mechanisms/core/glob.hpp"
#include "assay/tests/support/testing.hpp"

namespace assay {
namespace {

// The definition, one character at a time.
bool matches_plainly(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    return matches_plainly(pattern.substr(1), text) ||
           (!text.empty() && matches_plainly(pattern, text.substr(1)));
  }
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) &&
         matches_plainly(pattern.substr(1), text.substr(1));
}

std::vector<std::string> words_over(std::string_view letters, std::size_t longest) {
  std::vector<std::string> words = {""};
  for (std::size_t from = 0; from < words.size(); ++from) {
    if (words[from].size() == longest) continue;
    for (const char letter : letters) words.push_back(words[from] + letter);
  }
  return words;
}

TEST(Glob, MatchesNamesAsAShellDoes) {
  EXPECT_TRUE(glob_match("ts-*", "ts-fig1"));
  EXPECT_TRUE(glob_match("ts-fig?", "ts-fig1"));
  EXPECT_FALSE(glob_match("ts-fig?", "ts-fig10"));
  EXPECT_FALSE(glob_match("fig1", "ts-fig1"));
  EXPECT_TRUE(glob_match("*fig*", "ts-fig1"));
  EXPECT_TRUE(glob_match("", ""));
  EXPECT_FALSE(glob_match("", "a"));
  EXPECT_TRUE(glob_match("[a]", "[a]"));
}

TEST(Glob, AgreesWithItsDefinitionOnEveryShortPatternAndText) {
  const auto texts = words_over("ab", 5);
  for (const auto& pattern : words_over("ab*?", 4)) {
    for (const auto& text : texts) {
      EXPECT_EQ(glob_match(pattern, text), matches_plainly(pattern, text))
          << pattern << " on " << text;
    }
  }
}

TEST(Glob, AWordWithoutAStarOrQuestionMarkIsNoPattern) {
  EXPECT_TRUE(is_glob("ts-*"));
  EXPECT_TRUE(is_glob("fig?"));
  EXPECT_FALSE(is_glob("ts-fig1"));
}

}  // namespace
}  // namespace assay
