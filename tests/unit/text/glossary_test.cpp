#include "assay/auditors/text/glossary.hpp"

#include "assay/auditors/audit/audit_html.hpp"
#include "assay/tests/support/sample_report.hpp"

namespace assay {
namespace {

TEST(Glossary, HasEveryNameOnceAndFindsTheEntryByIt) {
  std::set<std::string> seen;
  for (const auto& name : glossary_names()) {
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_NE(find_word(name), nullptr) << name;
  }
  for (const auto& word : glossary()) {
    EXPECT_EQ(find_word(word.id), &word);
    EXPECT_LE(word.line.size(), 60U) << word.id;
    EXPECT_GE(word.text.size(), 60U) << word.id;
    EXPECT_EQ(word.text.back(), '.') << word.id;
  }
  EXPECT_EQ(find_word("epsilon"), find_word("eps"));
  EXPECT_EQ(find_word("nothing"), nullptr);
}

TEST(Glossary, APageEndsWithTheWordsThatItLinksAndNoOthers) {
  const std::string page = to_html(testing::sample_report());
  for (const auto& word : glossary()) {
    const std::string id(word.id);
    const bool linked = page.find("href=\"#word-" + id + "\"") != std::string::npos;
    const bool explained = page.find("<dt id=\"word-" + id + "\">") != std::string::npos;
    EXPECT_EQ(linked, explained) << id;
  }
  for (const char* id : {"mu", "eps", "delta", "delta0", "claim", "relation", "view", "strength",
                         "pair", "witness", "ledger", "confidence", "e-value"}) {
    EXPECT_THAT(page, HasSubstr("<dt id=\"word-" + std::string(id) + "\">"));
  }
  EXPECT_THAT(page, Not(HasSubstr("word-canaries")));
  EXPECT_LT(page.find("<h2 id=\"words\">Words</h2>"), page.find("<footer>"));
}

}  // namespace
}  // namespace assay
