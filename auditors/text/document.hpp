// A report as a value: what it says, block by block, for whichever of the terminal, a page and Markdown shows it.
//
// A report has one function that builds its Document; three renderers show it (to_terminal, to_page, to_markdown).
// What only some of them show is marked with where (Media). Words are what the report has to say, whoever wrote
// them: the renderers alone neutralise control characters and escape markup. On pages eps, delta, mu and arrows
// as single words become their signs, but in what is exact() or code().
//
// In the terminal a blank line stands before each block but the first and those under a heading.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "assay/auditors/text/svg_plot.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay::doc {

using detail::Paint;
using Media = unsigned;
inline constexpr Media kTerminal = 1, kPage = 2, kMarkdown = 4, kEverywhere = 7;

enum class SpanKind { kProse, kExact, kCode, kStrong, kChip, kBreak, kDrawing };

struct Span {
  std::string text;  // of a drawing, SVG that this program made
  SpanKind kind = SpanKind::kProse;
  Paint paint = Paint::kNone;
  std::string_view word = {};  // of the glossary, which a page explains at its end
  Media media = kEverywhere;
};

// A line of words, or several.
struct Text {
  Text() = default;
  Text(std::string text) : spans{{std::move(text)}} {}  // NOLINT(google-explicit-constructor)
  Text(const char* text) : Text(std::string(text)) {}   // NOLINT(google-explicit-constructor)
  Text(Span span) : spans{std::move(span)} {}           // NOLINT(google-explicit-constructor)
  bool empty() const;                                   // nothing to say, anywhere
  std::vector<Span> spans;
};
Text operator+(Text first, const Text& more);
Text& operator+=(Text& first, const Text& more);

Text exact(std::string text);  // a name, which is not typeset
Text code(std::string text);   // what a computer reads
Text strong(std::string text, Paint paint = Paint::kNone);
Text chip(std::string text, Paint paint);               // a word on its colour
Text word_link(std::string_view id, std::string text);  // explained at the page's end
Text drawing(std::string svg);                          // on pages
Text line_break();  // on pages and in Markdown; a space in the terminal
Text only_in(Media media, Text text);

// Between a parameter's name and its value: no line breaks there; "=" in the terminal.
inline constexpr std::string_view kEquals = "\xC2\xA0=\xC2\xA0";

// ---- blocks -------------------------------------------------------------------------------------

struct Heading {
  Text text;
  std::string aside = "";  // "(99% confidence)"
  int level = 2;
};

struct Paragraph {
  Text text;
  Paint paint = Paint::kNone;
  std::string lead = "";  // in the terminal
};

// What it is, and what it says. A fact with nothing to say is left out.
struct Fact {
  std::string key;
  Text value;
  Text note = {};  // below it
  std::string_view word = {};
  Paint paint = Paint::kNone;  // of its key; of its value in Facts whose keys are plain
};
struct Facts {
  std::size_t indent = 0;
  Paint paint = Paint::kBold;             // of the keys
  std::size_t width = detail::kKeyWidth;  // of the keys; 0: each as wide as it is
  std::vector<Fact> facts = {};
  void add(std::string key, Text value) { facts.push_back({std::move(key), std::move(value)}); }
  void add(std::string_view word, std::string key, Text value) {
    facts.push_back({std::move(key), std::move(value), {}, word});
  }
};

struct Column {
  Text name;
  bool number = true;     // to the right
  std::size_t least = 0;  // columns of the terminal
  Media media = kEverywhere;
};
// In the terminal a row of fewer cells than there are columns ends in one that takes the rest of the line.
struct Row {
  std::vector<Text> cells;
  std::vector<std::pair<std::string, Text>> notes =
      {};  // leads and texts, below it in the terminal
  Media media = kEverywhere;
};
struct Table {
  Text caption;  // not in the terminal
  std::vector<Column> columns;
  std::vector<Row> rows = {};
  std::size_t indent = 0;
  std::size_t gap = 2;  // between columns
  bool wide = false;    // as wide as the terminal, by its first column
  bool wraps = false;   // the last column, behind the others or below them
  double share = 0.0;   // of Markdown's limit, by where its rows end; 0: all are shown

  void add(std::vector<Text> cells, Media media = kEverywhere) {
    rows.push_back({std::move(cells), {}, media});
  }
};

struct List {
  std::vector<Text> items;
  std::string lead = "  - ";  // in the terminal
  double share = 0.0;
};

// As it came, line by line.
struct Lines {
  std::string text;
};

// What reproduces the report.
struct Command {
  std::string command;
};

// SVG on pages; nothing elsewhere.
struct Drawn {
  Figure figure;
  std::string caption;
  bool full = false;  // across the page, and scrolling inside its box on a narrow screen
};

class Document;

// Parts that stand beside each other on a wide page; that are shown when they are opened, on pages and in
// Markdown; of which the terminal shows the first that its width holds, or else the last.
enum class GroupKind { kBeside, kFolded, kFirstThatFits };
struct Group {
  GroupKind kind;
  std::vector<Document> parts;
  std::string summary = "";  // of folded parts
  double share = 0.0;
};

using Content = std::variant<Heading, Paragraph, Facts, Table, List, Lines, Command, Drawn, Group>;
struct Block {
  Content content;
  Media media = kEverywhere;
  bool close = false;  // no blank line before it in the terminal
};

class Document {
 public:
  Document() = default;
  explicit Document(Content only) { add(std::move(only)); }

  void add(Content content, Media media = kEverywhere);
  void add_close(Content content, Media media = kEverywhere);
  void heading(Text text, std::string aside = "", int level = 2, Media media = kEverywhere);
  void paragraph(Text text, Media media = kEverywhere);
  void reproduce(const std::string& command);  // under its heading, on a page
  // Columns whose cells all begin as numbers do stand to the right.
  void table(Text caption, const std::vector<std::string>& columns,
             const std::vector<std::vector<std::string>>& rows, std::size_t indent = 0);
  void beside(std::vector<Document> parts, Media media = kPage);
  void folded(std::string summary, Content content);             // on a page
  void append(const Document& more, Media media = kEverywhere);  // of it what is shown there

  std::vector<Block> blocks;
  std::string title;   // of a page
  std::string footer;  // what differs between runs of one request
};

std::vector<std::string> lines_of(const Lines& lines);  // each plain_text

// "Assay 0.2 (gcc 12). Started 2026-01-01; 1.2 s on 2 threads; and more."
std::string run_footer(const RunMeta& meta, const std::string& more = "");

// eps, delta, mu, eta and arrows as single words become their signs; part of a longer word, they stay.
std::string typeset(const std::string& text);

std::string to_terminal(const Document& document, TextStyle style);
// One self-contained page: well-formed XML, without scripts or references to anything outside. It ends with the
// meanings of the words that it links, before its footer.
std::string to_page(const Document& document);
// GitHub's Markdown of at most `limit` bytes. Rows, items and folded parts are shown whole or not at all.
std::string to_markdown(const Document& document, std::size_t limit);

}  // namespace assay::doc
