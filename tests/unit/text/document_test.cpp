#include "assay/auditors/text/document.hpp"

#include "assay/auditors/text/safe_text.hpp"
#include "assay/tests/support/document_checks.hpp"

namespace assay {
namespace {

constexpr TextStyle kPlainStyle{false, 80};
constexpr std::size_t kRoomy = 1 << 20;

doc::Document document_of_every_block(const std::string& words) {
  using namespace doc;
  Figure figure{"id", words, words, {}, 1, 400.0};
  figure.panels.emplace_back().title = words;
  figure.panels.back().series.push_back(Series::line(words, {0.0, 1.0}, {0.0, 1.0}, {}));
  Document document, part;
  document.title = document.footer = words;
  document.heading(words, words);
  document.add(Paragraph{words, Paint::kRed, "  "});
  document.paragraph(exact(words) + code(words) + strong(words) + chip(words, Paint::kBlue) +
                     word_link("eps", words) + line_break() + words);
  Facts facts;
  facts.add(words, words);
  facts.facts.push_back({words, words, words, "mu", Paint::kRed});
  document.add(facts);
  Table table{words, {{words, false}, {words}, {words, false}}};
  table.rows.push_back({{words, words, words}, {{"  ", words}}});
  table.add({words, words});
  document.add(table);
  document.add(List{{words, words}});
  document.add(Lines{words + "\n" + words});
  document.reproduce(words);
  part.paragraph(words);
  part.add(Drawn{figure, words});
  document.beside({part, part}, kTerminal | kMarkdown);
  document.add(Tiles{{{words, words, words, Tone::kBad}, {words, words}}, true});
  ProbabilityGrid grid{"grid", words, words, words, words, {words, words}, {words}};
  grid.cells = {{{0.25, 0.5}}, {{1.0, 0.0}}};
  grid.changed = 1;
  document.add(DrawnGrid{grid, words}, kPage);
  document.add(Group{GroupKind::kFolded, {part}, words});
  document.add(Group{GroupKind::kFirstThatFits, {Document(Paragraph{words})}});
  return document;
}

TEST(DocumentText, HostileWordsStayWordsInEveryBlock) {
  const auto document = document_of_every_block(testing::hostile_text());
  const std::string text = to_terminal(document, kPlainStyle);
  testing::expect_shown_as_it_reads(text);
  EXPECT_THAT(text, HasSubstr("<script>alert(1)</script>"));
}

TEST(DocumentPage, HostileWordsStayWordsInEveryBlock) {
  doc::Document document;
  document.heading("A heading of the first level", "", 1);
  document.append(document_of_every_block(testing::hostile_text()));
  document.title = document.footer = testing::hostile_text();
  const std::string page = to_page(document);
  testing::expect_shown_as_it_reads(page);
  const auto checked = checked_page(page);  // well formed, and no script
  EXPECT_EQ(checked.status, 0) << checked.err;
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST(DocumentMarkdown, HostileWordsStayWordsInEveryBlock) {
  const std::string text = to_markdown(document_of_every_block(testing::hostile_text()), kRoomy);
  testing::expect_shown_as_it_reads(text);
  bool fenced = false;
  std::size_t opened = 0, closed = 0;
  for (const std::string& line : lines_of(text)) {
    if (line.rfind("````", 0) == 0) {  // longer than the backticks in it
      fenced = !fenced;
      continue;
    }
    if (fenced) continue;
    for (const char* mark : {"<script", "](", "https:", "@", "`", "&amp;", "www."}) {
      EXPECT_THAT(line, Not(HasSubstr(mark)));
    }
    const auto pipes = std::count(line.begin(), line.end(), '|');
    if (line.empty() || line[0] != '|') {
      EXPECT_EQ(pipes, 0) << line;
    }
    opened += line.find("<details>") != std::string::npos ? 1 : 0;
    closed += line.find("</details>") != std::string::npos ? 1 : 0;
  }
  EXPECT_FALSE(fenced);
  EXPECT_EQ(opened, 1U);
  EXPECT_EQ(closed, 1U);
}

TEST(DocumentMarkdown, RowsHaveAsManyCellsAsTheirHead) {
  doc::Table table{"", {{"a"}, {"b|c"}, {"page", true, 0, doc::kPage}}};
  table.add({testing::hostile_text(), "1", "left out"});
  for (const std::string& line : lines_of(to_markdown(doc::Document(table), kRoomy))) {
    EXPECT_EQ(std::count(line.begin(), line.end(), '|'), 3) << line;
    EXPECT_THAT(line, Not(HasSubstr("left out")));
  }
}

TEST(DocumentMarkdown, ALimitCutsBetweenRowsAndSaysHowManyAreLeftOut) {
  doc::Table table{"", {{"row"}}};
  table.share = 0.5;
  for (int i = 0; i < 1000; ++i) table.add({"row " + std::to_string(i)});
  doc::Document document;
  document.heading("Rows");
  document.add(doc::List{});  // takes no heading away
  document.add(table);
  document.heading("Nothing below this one fits");
  document.add(doc::List{{std::string(20000, 'x')}, "", 0.9});
  const std::string text = to_markdown(document, 12000);
  EXPECT_LE(text.size(), 12000U);
  EXPECT_THAT(text, ::testing::StartsWith("## Rows\n"));
  EXPECT_THAT(text, HasSubstr("| row 0 |\n"));
  EXPECT_THAT(text, Not(HasSubstr("| row 999 |")));
  EXPECT_THAT(text, Not(HasSubstr("Nothing below")));
  EXPECT_THAT(text, HasSubstr("left out here, for the limit of 12,000 bytes"));
}

TEST(DocumentText, KeepsToItsWidthAndColoursRepeatWords) {
  const std::string words =
      "Some words that are long enough to take several lines of eighty columns, in all.";
  doc::Document document = document_of_every_block(words);
  for (const int width : {60, 80, 120}) {
    for (const std::string& line : lines_of(to_terminal(document, {false, width}))) {
      // Cells of tables, headings and what came line by line are not broken.
      if (line.find(words.substr(0, 60)) == std::string::npos) {
        EXPECT_LE(column_count(line), static_cast<std::size_t>(width)) << line;
      }
    }
  }
  std::string coloured = to_terminal(document, {true, 80});
  EXPECT_THAT(coloured, HasSubstr("\x1b[1;31m"));
  for (const std::string& line : lines_of(coloured)) {  // no colour runs on into the next line
    const auto last = line.rfind("\x1b[");
    if (last != std::string::npos) {
      EXPECT_EQ(line.substr(last, 4), "\x1b[0m") << line;
    }
  }
  for (std::size_t at; (at = coloured.find("\x1b[")) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, to_terminal(document, kPlainStyle));
}

TEST(DocumentText, SetsNumbersToTheRightAndWordsToTheLeft) {
  doc::Document document;
  document.table("", {"name", "size", "also"}, {{"a", "1", "x"}, {"long name", "1,000", "-"}}, 2);
  EXPECT_EQ(to_terminal(document, kPlainStyle),
            "  name        size  also\n"
            "  a              1  x\n"
            "  long name  1,000  -\n");
}

TEST(DocumentText, NumbersOfEveryLengthStandApart) {
  doc::Table table{"", {{"name", false, 6}, {"number", true, 4}, {"more", true, 9}}};
  for (std::size_t i = 1; i < 30; ++i) {
    table.add({std::string(30 - i, 'n'), std::string(i, '7'), std::string(i % 7 + 1, '8')});
  }
  const auto lines = lines_of(to_terminal(doc::Document(table), kPlainStyle));
  ASSERT_EQ(lines.size(), 30U);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].size(), 29U + 2 + 29 + 2 + 9);
    EXPECT_EQ(lines[i].substr(31, 29), std::string(29 - i, ' ') + std::string(i, '7'));
  }
}

TEST(DocumentText, ATableTooWideGivesWayToWhatFits) {
  doc::Document wide, narrow;
  wide.table("", {"a", "b"}, {{std::string(50, 'x'), std::string(50, 'y')}});
  narrow.paragraph("narrow");
  const doc::Document document(doc::Group{doc::GroupKind::kFirstThatFits, {wide, narrow}});
  EXPECT_EQ(to_terminal(document, kPlainStyle), "narrow\n");
  EXPECT_THAT(to_terminal(document, {false, 120}), HasSubstr("x  y"));
}

TEST(DocumentText, TheLastCellWrapsBehindTheOthersOrBelowThem) {
  doc::Table table{"", {{"id", false}, {"found", false}}};
  table.wraps = true;
  const std::string words = "what was found, in more words than a line of sixty columns holds";
  table.add({"short", words});
  EXPECT_EQ(to_terminal(doc::Document(table), {false, 60}),
            "id     found\n"
            "short  what was found, in more words than a line of sixty\n"
            "       columns holds\n");
  table.rows[0].cells[0] = std::string(50, 'i');
  EXPECT_THAT(to_terminal(doc::Document(table), {false, 60}),
              HasSubstr(std::string(50, 'i') + "\n      what was found,"));
}

TEST(DocumentText, OneBlankLineStandsBetweenBlocksAndNoneUnderAHeading) {
  doc::Document document;
  document.paragraph("first");
  document.add(doc::Facts{});  // nothing to say
  document.paragraph("of a page", doc::kPage);
  document.heading("Heading");
  document.paragraph("below");
  document.add_close(doc::Paragraph{"closer"});
  EXPECT_EQ(to_terminal(document, kPlainStyle), "first\n\nHeading\nbelow\ncloser\n");
}

TEST(DocumentPage, SetsSignsInProseAlone) {
  doc::Document document;
  document.paragraph(doc::Text("eps >= 1 ") + doc::code("eps >= 1") + doc::exact(" eps"));
  EXPECT_THAT(to_page(document),
              HasSubstr("<p>\xCE\xB5 \xE2\x89\xA5 1 <code>eps &gt;= 1</code> eps</p>"));
}

// Browsers may end a line after a hyphen.
TEST(DocumentPage, KeepsOptionsOfCommandsWhole) {
  doc::Document document;
  document.add(
      doc::Command{"assay audit x -p a=-1 --see 2 --exec 'a longer program --leak' --arms 3 b--c"});
  document.paragraph("Run it with --round-outputs 1e-6 (--see) - or not; a well-known -5.");
  const std::string page = to_page(document);
  for (const char* option :
       {"-p a=-1", "--see 2", "--exec", "--leak", "--arms 3", "--round-outputs"}) {
    EXPECT_THAT(page, HasSubstr("<span class=\"option\">" + std::string(option) + "</span>"));
  }
  EXPECT_THAT(page, AllOf(HasSubstr(" b--c"), HasSubstr("(<span"),
                          HasSubstr(" - or not; a well-known -5.")));
}

TEST(DocumentPage, WordsBetweenBackticksAreCode) {
  doc::Document document;
  doc::Facts facts;
  facts.add("Note", "say `assay list eps` or `<b>`, and a ` alone");
  document.add(facts);
  EXPECT_THAT(to_page(document), HasSubstr("say <code>assay list eps</code> or "
                                           "<code>&lt;b&gt;</code>, and a ` alone"));
}

TEST(DocumentPage, FactsWithOneKeyAreOneEntry) {
  doc::Document document;
  doc::Facts facts;
  facts.add("Figure", "first");
  facts.add("Figure", "second");
  facts.add("", "third");
  facts.add("Seed", "1");
  document.add(facts);
  const std::string page = to_page(document);
  EXPECT_THAT(page, HasSubstr("<dt>Figure</dt><dd>first</dd><dd>second</dd><dd>third</dd></div>"));
  EXPECT_THAT(page, HasSubstr("<div class=\"short tiny\"><dt>Seed</dt><dd>1</dd></div>"));
}

TEST(DocumentPage, LinksItsSectionsIfThereAreSeveral) {
  doc::Document document;
  document.heading("First & foremost");
  document.heading("Second");
  EXPECT_THAT(to_page(document), Not(HasSubstr("<nav")));
  document.heading("Second");
  const std::string page = to_page(document);
  for (const char* part :
       {"<a href=\"#section-1-first-foremost\">First &amp; foremost</a>",
        "<h2 id=\"section-2-second\">Second</h2>", "<h2 id=\"section-3-second\">Second</h2>"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
}

TEST(DocumentPage, FoldsTheRestOfALongCaption) {
  Figure figure{"f", "title", "description"};
  figure.panels.emplace_back();
  const std::string first = "A first sentence that says what the figure shows.";
  const auto page_of = [&](const std::string& caption) {
    return to_page(doc::Document(doc::Drawn{figure, caption}));
  };
  EXPECT_THAT(page_of(first), Not(HasSubstr("<details>")));
  EXPECT_THAT(page_of(first + " " + std::string(200, 'x')),
              HasSubstr(first + "<details><summary>More on this figure</summary>"));
}

TEST(DocumentTiles, AreATableInMarkdownAndLinesInTheTerminalIfAsked) {
  doc::Tiles tiles{{{"Verdict", "Violated", "by 2", doc::Tone::kBad}, {"Level", "1"}}};
  EXPECT_EQ(to_markdown(doc::Document(tiles), kRoomy),
            "| Verdict | Level |\n| --- | --- |\n| **Violated** | **1** |\n| by 2 |  |\n");
  EXPECT_EQ(to_terminal(doc::Document(tiles), kPlainStyle), "");
  tiles.in_terminal = true;
  EXPECT_EQ(to_terminal(doc::Document(tiles), kPlainStyle),
            "Verdict     Violated: by 2\nLevel       1\n");
  const std::string page = to_page(doc::Document(tiles));
  EXPECT_THAT(page, HasSubstr("<div class=\"bad\"><dt>Verdict</dt><dd class=\"value\">Violated"));
}

TEST(DocumentPage, EndsWithTheWordsThatItLinks) {
  doc::Document document;
  document.footer = "footer";
  document.paragraph(doc::word_link("eps", "the loss"));
  const std::string page = to_page(document);
  EXPECT_THAT(page, HasSubstr("<a href=\"#word-eps\">the loss</a>"));
  EXPECT_THAT(page, HasSubstr("<dt id=\"word-eps\">"));
  EXPECT_THAT(page, Not(HasSubstr("<dt id=\"word-mu\">")));
  EXPECT_LT(page.find("<h2 id=\"words\">Words</h2>"), page.find("<footer>"));
}

}  // namespace
}  // namespace assay
