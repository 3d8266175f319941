// A report as a value: a list of blocks, which the terminal, a page or Markdown can show.
//
// A report has one function that builds its Document. Three renderers show it (to_terminal, to_page, to_markdown).
// Parts that only some of them show are marked with their Media. Pass all texts raw, whatever their origin: the
// renderers replace control characters and escape markup. On pages, eps, delta, mu and arrows become their signs if
// they are single words, except in exact() and code().
//
// In the terminal a blank line precedes each block except the first and those under a heading.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "assay/auditors/text/probability_grid.hpp"
#include "assay/auditors/text/svg_plot.hpp"
#include "assay/auditors/text/text_layout.hpp"
#include "assay/mechanisms/core/run_meta.hpp"

namespace assay::doc {

using detail::Paint;
using Media = unsigned;
inline constexpr Media kTerminal = 1, kPage = 2, kMarkdown = 4, kEverywhere = 7;
inline constexpr Media kFull = 8;  // in the terminal, if the style is full

enum class SpanKind { kProse, kExact, kCode, kStrong, kChip, kBreak, kDrawing };

struct Span {
  std::string text;  // for a drawing, SVG that this program made
  SpanKind kind = SpanKind::kProse;
  Paint paint = Paint::kNone;
  std::string_view word = {};  // a word of the glossary, which a page explains at its end
  Media media = kEverywhere;
};

// A line of words, or several.
struct Text {
  Text() = default;
  Text(std::string text) : spans{{std::move(text)}} {}  // NOLINT(google-explicit-constructor)
  Text(const char* text) : Text(std::string(text)) {}   // NOLINT(google-explicit-constructor)
  Text(Span span) : spans{std::move(span)} {}           // NOLINT(google-explicit-constructor)
  bool empty() const;                                   // no text in any medium
  std::vector<Span> spans;
};
Text operator+(Text first, const Text& more);
Text& operator+=(Text& first, const Text& more);

Text exact(std::string text);  // a name, which is shown as it is
Text code(std::string text);   // a text for a computer
Text strong(std::string text, Paint paint = Paint::kNone);
Text chip(std::string text, Paint paint);               // a word on a coloured ground
Text word_link(std::string_view id, std::string text);  // explained at the page's end
Text drawing(std::string svg);                          // on pages
// A small bar for an interval, with a mark at the allowed value. On pages.
Text interval_bar(double lower, double upper, std::optional<double> allowed);
Text line_break();  // on pages and in Markdown; a space in the terminal
Text only_in(Media media, Text text);

// Separates a parameter's name from its value, without a line break; "=" in the terminal.
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

// A label and a text. A fact with an empty text is left out.
struct Fact {
  std::string key;
  Text value;
  Text note = {};  // below it
  std::string_view word = {};
  Paint paint = Paint::kNone;  // of its key; of its value if the keys are plain
};
struct Facts {
  std::size_t indent = 0;
  Paint paint = Paint::kBold;             // of the keys
  std::size_t width = detail::kKeyWidth;  // of the keys; 0 gives each key its own width
  std::vector<Fact> facts = {};
  void add(std::string key, Text value) { facts.push_back({std::move(key), std::move(value)}); }
  void add(std::string_view word, std::string key, Text value) {
    facts.push_back({std::move(key), std::move(value), {}, word});
  }
};

struct Column {
  Text name;
  bool number = true;     // aligned to the right
  std::size_t least = 0;  // least width in the terminal
  Media media = kEverywhere;
};
// In the terminal the last cell of a row that has fewer cells than columns takes the rest of the line.
struct Row {
  std::vector<Text> cells;
  std::vector<std::pair<std::string, Text>> notes =
      {};  // leads and texts, below it in the terminal if the style is full
  Media media = kEverywhere;
};
struct Table {
  Text caption;  // not in the terminal
  std::vector<Column> columns;
  std::vector<Row> rows = {};
  std::size_t indent = 0;
  std::size_t gap = 2;  // between columns
  bool wide = false;    // as wide as the terminal, by widening its first column
  bool wraps = false;   // whether the last column wraps, behind the others or below them
  double share = 0.0;   // of Markdown's limit, at which its rows must end; 0 shows all

  void add(std::vector<Text> cells, Media media = kEverywhere) {
    rows.push_back({std::move(cells), {}, media});
  }
};

struct List {
  std::vector<Text> items;
  std::string lead = "  - ";  // in the terminal
  double share = 0.0;
};

// A text that is shown unchanged, line by line.
struct Lines {
  std::string text;
};

// The command that reproduces the report.
struct Command {
  std::string command;
  std::string label = "Reproduce";  // in the terminal
};

// The main results, in a row of 2 to 4 tiles at the top of a page; a small table in Markdown. The terminal has them
// only if asked, a line for each.
enum class Tone { kNeutral, kGood, kBad, kWeak };
struct Tile {
  std::string label;
  Text value;  // a word or a number, in large type
  Text caption = {};
  Tone tone = Tone::kNeutral;
  bool large = false;  // across the page, with its value in very large type
};
struct Tiles {
  std::vector<Tile> tiles;
  bool in_terminal = false;
};

// SVG on pages; nothing elsewhere.
struct Drawn {
  Figure figure;
  std::string caption;
  bool full = false;  // across the page
};

// Which action in which round, with its probability on both inputs. SVG on pages; nothing elsewhere.
struct DrawnGrid {
  ProbabilityGrid grid;
  std::string caption;
};

class Document;

// kBeside: the parts are side by side on a wide page. kFolded: pages and Markdown show them when they are
// opened. kFirstThatFits: the terminal shows the first part that fits its width, or else the last.
enum class GroupKind { kBeside, kFolded, kFirstThatFits };
struct Group {
  GroupKind kind;
  std::vector<Document> parts;
  std::string summary = "";  // of folded parts
  double share = 0.0;
};

using Content = std::variant<Heading, Paragraph, Facts, Table, List, Lines, Command, Tiles, Drawn,
                             DrawnGrid, Group>;
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
  // A column is aligned to the right if all its cells begin as numbers do.
  void table(Text caption, const std::vector<std::string>& columns,
             const std::vector<std::vector<std::string>>& rows, std::size_t indent = 0);
  void beside(std::vector<Document> parts, Media media = kPage);
  void folded(std::string summary, Content content);             // on a page
  void append(const Document& more, Media media = kEverywhere);  // its parts for these media

  std::vector<Block> blocks;
  std::string title;   // of a page
  std::string footer;  // texts that differ between runs of one request
};

std::vector<std::string> lines_of(const Lines& lines);  // each plain_text

// "Assay 0.2 (gcc 12). Started 2026-01-01; 1.2 s on 2 threads; and more."
std::string run_footer(const RunMeta& meta, const std::string& more = "");

// Replaces eps, delta, mu, eta and arrows by their signs if they are single words, not parts of longer ones.
std::string typeset(const std::string& text);

std::string to_terminal(const Document& document, TextStyle style);
// One self-contained page of well-formed XML, without scripts or references to anything outside. On a wide screen
// links to its sections stay beside it. Before its footer it explains the words that it links.
std::string to_page(const Document& document);
// GitHub's Markdown of at most `limit` bytes. Each row, item and folded part is shown whole or not at all.
std::string to_markdown(const Document& document, std::size_t limit);

}  // namespace assay::doc
