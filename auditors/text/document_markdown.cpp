#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "assay/auditors/text/document.hpp"
#include "assay/auditors/text/rounding.hpp"
#include "assay/auditors/text/safe_text.hpp"

namespace assay::doc {
namespace {

constexpr std::size_t kMostOfCommand = 4000;  // bytes
constexpr std::size_t kReservedForEnd =
    6000;  // for blocks without a share, and for the note on omissions

// Text that stays text. Marks of Markdown, HTML or a table become entities, and so do the characters that make a
// link of an address or a list of a number. GitHub finds mentions and references in the remaining text, so a
// zero-width space separates their mark from the name.
std::string escaped(std::string_view text) {
  constexpr std::string_view kMarks = "\\`*_[]<>#+|~@&$";
  const std::string plain = plain_text(text);
  std::string out;
  bool numbers = true;  // only digits so far
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const char c = plain[i];
    const char before = i > 0 ? plain[i - 1] : ' ';
    const char after = i + 1 < plain.size() ? plain[i + 1] : ' ';
    const bool mark = kMarks.find(c) != std::string_view::npos || (c == ':' && after != ' ') ||
                      (c == '-' && before == ' ') ||
                      (c == '.' && (numbers || before == 'w' || before == 'W')) ||
                      (c == ')' && numbers);
    numbers = numbers && c >= '0' && c <= '9';
    out += mark ? fmt::format("&#{};", static_cast<int>(c)) : std::string(1, c);
    if ((c == '@' || c == '#') && after != ' ') out += "&#8203;";
  }
  return out;
}

std::string marked(const Text& text) {
  std::string out;
  for (const Span& span : text.spans) {
    if ((span.media & kMarkdown) == 0 || span.text.empty()) continue;
    const std::string plain = escaped(span.text);
    out += span.kind == SpanKind::kCode     ? "<code>" + plain + "</code>"
           : span.kind == SpanKind::kStrong ? "**" + plain + "**"
           : span.kind == SpanKind::kBreak  ? "<br>"
                                            : plain;
  }
  return out;
}

// A code block with a fence that is longer than any run of backticks in it.
std::string fenced(const std::string& text, const std::string& language) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + language + "\n" + text + "\n" + fence + "\n";
}

std::string table_line(const std::vector<std::string>& cells) {
  std::string out = "|";
  for (const std::string& cell : cells) out += " " + cell + " |";
  return out + "\n";
}

// Each part of a block is added whole or not at all, so that a limit never cuts through it.
class MarkdownWriter {
 public:
  explicit MarkdownWriter(std::size_t limit) : limit_(limit) {}

  std::string write(const Document& document) {
    add_all(document);
    if (left_out_ > 0) {
      add(fmt::format("{} {} left out here, for the limit of {} bytes; the JSON report has all.\n",
                      grouped(left_out_),
                      left_out_ == 1 ? "row or block is" : "rows and blocks are",
                      grouped(static_cast<long long>(limit_))));
    }
    return std::move(out_);
  }

 private:
  void add_all(const Document& document) {
    for (const Block& block : document.blocks) {
      if ((block.media & kMarkdown) == 0) continue;
      std::visit([this](const auto& content) { show(content); }, block.content);
    }
  }

  // Adds a part under its heading, which is written only with its first part.
  void add(const std::string& text) {
    if (text.empty()) return;
    out_ += (out_.empty() ? "" : "\n") + heading_ + text;
    heading_.clear();
  }

  // Adds the parts that end before that share of the limit, since later blocks have shares of their own.
  void add(const std::string& start, const std::vector<std::string>& parts, double share) {
    if (parts.empty()) return;
    const auto room =
        static_cast<std::size_t>(share * static_cast<double>(limit_ - kReservedForEnd));
    std::string text = start;
    std::size_t done = 0;
    for (; done < parts.size(); ++done) {
      const std::size_t size = out_.size() + heading_.size() + text.size() + parts[done].size() + 1;
      if (share > 0.0 && size > room) break;
      text += parts[done];
    }
    left_out_ += static_cast<long long>(parts.size() - done);
    if (done > 0) add(text);
    heading_.clear();
  }

  void show(const Heading& heading) {
    heading_ = std::string(static_cast<std::size_t>(heading.level), '#') + " " +
               marked(heading.text) + "\n\n";
  }
  void show(const Paragraph& paragraph) {
    const std::string text = marked(paragraph.text);
    if (text.empty()) return;
    add(paragraph.paint == Paint::kDim ? "<sub>" + text + "</sub>\n" : text + "\n");
  }
  void show(const Facts& facts) {
    std::string text;
    for (const Fact& fact : facts.facts) {
      const std::string value = marked(fact.value);
      if (!value.empty()) text += "* " + escaped(fact.key) + ": " + value + "\n";
    }
    add(text);
  }
  void show(const Table& table) {
    std::vector<std::string> names, rules, rows;
    for (const Column& column : table.columns) {
      if ((column.media & kMarkdown) == 0) continue;
      names.push_back(marked(column.name));
      rules.push_back("---");
    }
    for (const Row& row : table.rows) {
      if ((row.media & kMarkdown) == 0) continue;
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < row.cells.size(); ++i) {
        if ((table.columns[i].media & kMarkdown) != 0) cells.push_back(marked(row.cells[i]));
      }
      rows.push_back(table_line(cells));
    }
    add(table_line(names) + table_line(rules), rows, table.share);
  }
  void show(const List& list) {
    std::vector<std::string> items;
    for (const Text& item : list.items) items.push_back("* " + marked(item) + "\n");
    add("", items, list.share);
  }
  void show(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines_of(lines)) text += (text.empty() ? "" : "\n") + line;
    if (!text.empty()) add(fenced(text, ""));
  }
  void show(const Command& command) {
    const std::string text = plain_text(command.command);
    if (text.size() > kMostOfCommand) {
      add("The command is too long to be shown here; the JSON report has it.\n");
    } else if (!text.empty()) {
      add(fenced(text, "sh"));
    }
  }
  // A column for each tile.
  void show(const Tiles& tiles) {
    std::vector<std::string> labels, rules, values, captions;
    bool captioned = false;
    for (const Tile& tile : tiles.tiles) {
      labels.push_back(escaped(tile.label));
      rules.emplace_back("---");
      values.push_back("**" + marked(tile.value) + "**");
      captions.push_back(marked(tile.caption));
      captioned = captioned || !tile.caption.empty();
    }
    if (labels.empty()) return;
    add(table_line(labels) + table_line(rules) + table_line(values) +
        (captioned ? table_line(captions) : ""));
  }
  void show(const Drawn&) {}
  void show(const DrawnGrid&) {}
  void show(const Group& group) {
    if (group.kind == GroupKind::kFirstThatFits) return add_all(group.parts.front());
    MarkdownWriter inside(limit_);
    MarkdownWriter& to = group.kind == GroupKind::kFolded ? inside : *this;
    for (const Document& part : group.parts) to.add_all(part);
    if (group.kind == GroupKind::kBeside) return;
    add("",
        {"<details><summary>" + escaped(group.summary) + "</summary>\n\n" + inside.out_ +
         "\n</details>\n"},
        group.share);
  }

  std::size_t limit_;
  std::string out_;
  std::string heading_;
  long long left_out_ = 0;
};

}  // namespace

std::string to_markdown(const Document& document, std::size_t limit) {
  return MarkdownWriter(limit).write(document);
}

}  // namespace assay::doc
